import { insertUnlessTaken } from '../mongo/index.ts';
import { rememberExcluded } from './identities/returns.ts';
import type { ErasureDocument } from './mongo/models.ts';
import type { AccountParts } from './open-parts.ts';
import { hashOf } from './secrets.ts';

/** An operator who asked for erasure, without personal data: exported from the database, it is replayed after a restore. */
export type Erasure = ReturnType<typeof toErasure>;

/** An erasure is repeated for this long, to catch writes that were in flight when it began, in milliseconds. */
const REPEAT_PERIOD_MS = 60 * 60 * 1_000;

/** Erases operators. The account is deleted last, so an interrupted erasure still has it. */
export function createErasures(parts: AccountParts) {
  const { accounts, identityStore, devices, sessions, oneTime, oidc, audit, caseStore, leagues, changes, clock } =
    parts;
  const { erasures } = parts.models;

  /** Safe to repeat: the first call counts. */
  async function record({ operator, subject_hash, erased_at }: Erasure): Promise<void> {
    const document = { _id: operator, subject_hash, erased_at: new Date(erased_at) };
    await changes.announce(operator, () => insertUnlessTaken(() => erasures.insertOne(document)));
  }

  return {
    /** Records the request durably before anything is deleted; null when there is no account. */
    async begin(operator: number): Promise<Erasure | null> {
      const account = await accounts.byOperator(operator);
      if (account === null) return null;
      const erased_at = new Date(clock()).toISOString();
      const erasure = { operator, subject_hash: hashOf(account.subject), erased_at };
      await record(erasure);
      return erasure;
    },

    /** Deletes everything that this module stores about the operator. Safe to repeat. */
    async erase(operator: number): Promise<void> {
      await rememberExcluded(parts, operator);
      const account = await accounts.byOperator(operator);
      if (account !== null) await oidc.revokeSubject(account.subject);
      await sessions.endAll(operator);
      const concerned = [
        ...(await identityStore.addressesOf(operator)),
        ...(account === null ? [] : [account.subject]),
      ];
      await oneTime.eraseAbout(concerned.map(hashOf), operator);
      await identityStore.eraseOf(operator);
      await parts.models.letters.deleteOne({ _id: operator });
      await devices.eraseOf(operator);
      await caseStore.eraseOf(operator);
      await leagues.eraseOf(operator);
      await audit.eraseOf(operator);
      await accounts.remove(operator);
    },

    async finish(operator: number): Promise<void> {
      await erasures.updateOne({ _id: operator }, { $set: { done_at: new Date(clock()) } });
    },

    /** The unfinished erasures, and those of the last hour, which are repeated for writes that were in flight. */
    async open(): Promise<readonly Erasure[]> {
      const recent = { erased_at: { $gte: new Date(clock() - REPEAT_PERIOD_MS) } };
      const found = erasures.find({ $or: [{ done_at: { $exists: false } }, recent] }).sort({ _id: 1 });
      return (await found.lean()).map(toErasure);
    },

    list: async (): Promise<readonly Erasure[]> =>
      (await erasures.find().sort({ erased_at: 1, _id: 1 }).lean()).map(toErasure),

    /** Replays an erasure: false when the account of that number is not the one that was erased. */
    async adopt(erasure: Erasure): Promise<boolean> {
      const account = await accounts.byOperator(erasure.operator);
      if (account !== null && hashOf(account.subject) !== erasure.subject_hash) return false;
      await record(erasure);
      return true;
    },
  };
}

function toErasure({ _id, subject_hash, erased_at }: ErasureDocument) {
  return { operator: _id, subject_hash, erased_at: erased_at.toISOString() };
}
