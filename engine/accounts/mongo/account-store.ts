import { randomBytes } from 'node:crypto';
import { coalesce, insertUnlessTaken } from '../../mongo/index.ts';
import type { AccountDocument, Models } from './models.ts';

/** The plan of an account created without one. */
export const FREE_PLAN = 'free';

const SUBJECT_BYTES = 16;

/** An operator's account. Times are ISO 8601 in UTC. */
export type Account = ReturnType<typeof toAccount>;

export type AccountStore = ReturnType<typeof createAccountStore>;

/** Accounts, one per operator. */
export function createAccountStore({ accounts }: Models) {
  async function set(
    operator: number,
    change: Partial<Pick<AccountDocument, 'plan' | 'suspended' | 'moderator'>>,
  ): Promise<boolean> {
    return (await accounts.updateOne({ _id: operator }, { $set: change })).matchedCount === 1;
  }

  async function byOperator(operator: number): Promise<Account | null> {
    const document = await accounts.findOne({ _id: operator }).lean();
    return document === null ? null : toAccount(document);
  }

  return {
    /** Creates the account of an operator, or returns the existing one. */
    async create(operator: number, plan: string, now: number): Promise<Account> {
      const subject = randomBytes(SUBJECT_BYTES).toString('base64url');
      const document = { _id: operator, subject, plan, suspended: false, created_at: new Date(now) };
      if (await insertUnlessTaken(() => accounts.insertOne(document))) return toAccount(document);
      const existing = await byOperator(operator);
      if (existing === null) throw new Error('the account could not be created');
      return existing;
    },

    /** Called for every request with a token: concurrent calls share one query. */
    bySubject: coalesce(async (subjects: readonly string[]) => {
      const found = await accounts.find({ subject: { $in: [...subjects] } }).lean();
      return new Map(found.map((document) => [document.subject, toAccount(document)]));
    }),

    byOperator,

    /** Numbers of the operators that are suspended, or that have the moderator role. */
    async having(mark: 'suspended' | 'moderator'): Promise<readonly number[]> {
      const found = accounts.find({ [mark]: true }, { _id: 1 }).sort({ _id: 1 });
      return (await found.lean()).map(({ _id }) => _id);
    },

    /** Marks the rows of an operator as held until a time, or a later one that is stored already. */
    async hold(operator: number, until: Date): Promise<void> {
      await accounts.updateOne({ _id: operator }, { $max: { held_until: until } });
    },

    /** The operators whose rows are held, until when, and whether that is over. */
    async held(now: number) {
      const found = accounts.find({ held_until: { $exists: true } }).sort({ _id: 1 });
      return (await found.lean()).flatMap(({ _id, held_until: until }) =>
        until === undefined ? [] : [{ operator: _id, until, isOver: until.getTime() <= now }],
      );
    },

    /** Ends a hold, unless it was extended meanwhile. */
    async endHold(operator: number, until: Date): Promise<void> {
      await accounts.updateOne({ _id: operator, held_until: until }, { $unset: { held_until: true } });
    },

    async remove(operator: number): Promise<void> {
      await accounts.deleteOne({ _id: operator });
    },

    setPlan: (operator: number, plan: string) => set(operator, { plan }),
    setSuspended: (operator: number, suspended: boolean) => set(operator, { suspended }),
    setModerator: (operator: number, moderator: boolean) => set(operator, { moderator }),
  };
}

function toAccount(document: AccountDocument) {
  const { _id, subject, plan, suspended, moderator = false, held_until, created_at } = document;
  const times = { held_until: held_until?.toISOString() ?? null, created_at: created_at.toISOString() };
  return { subject, operator: _id, plan, suspended, moderator, ...times };
}
