import { coalesce, DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { Account } from '../types.ts';
import type { Collections } from './collections.ts';
import type { AccountDocument } from './documents.ts';

export type AccountStore = ReturnType<typeof createAccountStore>;

/** Accounts, one per operator. */
export function createAccountStore({ accounts }: Collections) {
  async function set(operator: number, change: Partial<Pick<AccountDocument, 'plan' | 'suspended'>>): Promise<boolean> {
    return (await accounts.updateOne({ _id: operator }, { $set: change }, DURABLE)).matchedCount === 1;
  }

  return {
    /** False when the operator or the subject already has an account. */
    insert({ operator, created_at, ...account }: Account): Promise<boolean> {
      const document = { _id: operator, ...account, created_at: new Date(created_at) };
      return insertUnlessTaken(() => accounts.insertOne(document, DURABLE));
    },

    /** Called for every request with a token: concurrent calls share one query. */
    bySubject: coalesce(async (subjects: readonly string[]) => {
      const found = await accounts
        .find({ subject: { $in: [...subjects] } }, { batchSize: subjects.length + 1 })
        .toArray();
      return new Map(found.map((document) => [document.subject, toAccount(document)]));
    }),

    async byOperator(operator: number): Promise<Account | null> {
      const document = await accounts.findOne({ _id: operator });
      return document === null ? null : toAccount(document);
    },

    async suspended(): Promise<readonly number[]> {
      const found = accounts.find({ suspended: true }, { projection: { _id: 1 } });
      return (await found.toArray()).map(({ _id }) => _id);
    },

    async remove(operator: number): Promise<void> {
      await accounts.deleteOne({ _id: operator }, DURABLE);
    },

    setPlan: (operator: number, plan: string) => set(operator, { plan }),
    setSuspended: (operator: number, suspended: boolean) => set(operator, { suspended }),
  };
}

function toAccount(document: AccountDocument): Account {
  const { _id, subject, plan, suspended, created_at } = document;
  return { subject, operator: _id, plan, suspended, created_at: created_at.toISOString() };
}
