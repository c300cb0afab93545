import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { Collections } from './collections.ts';
import type { SecretRecords } from './secret-records.ts';

export type SharedStore = ReturnType<typeof createSharedStore>;

/** Secrets and locks shared by all processes. */
export function createSharedStore({ secrets, signUps, ...expiring }: Collections, records: SecretRecords) {
  return {
    async secret(name: string): Promise<string | null> {
      const found = await secrets.findOne({ _id: name });
      return found === null ? null : records.open('shared_secrets', found).toString();
    },

    /** Stores a secret; false when another process stored one first. */
    offerSecret(name: string, value: string): Promise<boolean> {
      const encrypted = records.encrypt('shared_secrets', { _id: name }, Buffer.from(value));
      const member = encrypted === null ? { value } : { encrypted };
      return insertUnlessTaken(() => secrets.insertOne({ _id: name, ...member }, DURABLE));
    },

    /** Acquires a lock until a time; false when another holder has it. */
    async acquireLock(name: string, holder: string, now: Date, until: Date): Promise<boolean> {
      const free = { _id: name, until: { $lte: now } };
      const taken = await signUps.updateOne(free, { $set: { holder, until } }, DURABLE);
      if (taken.matchedCount === 1) return true;
      return insertUnlessTaken(() => signUps.insertOne({ _id: name, holder, until }, DURABLE));
    },

    async releaseLock(name: string, holder: string): Promise<void> {
      await signUps.deleteOne({ _id: name, holder });
    },

    /** Deletes expired documents; returns their number. */
    async deleteExpired(now: Date, auditBefore: Date): Promise<number> {
      const expired = { expires_at: { $lte: now } };
      const deletions = await Promise.all([
        expiring.sessions.deleteMany(expired),
        expiring.oneTime.deleteMany(expired),
        expiring.oidc.deleteMany(expired),
        expiring.denials.deleteMany(expired),
        expiring.accountChanges.deleteMany(expired),
        expiring.audit.deleteMany({ at: { $lt: auditBefore } }),
        signUps.deleteMany({ until: { $lte: now } }),
      ]);
      return deletions.reduce((sum, { deletedCount }) => sum + deletedCount, 0);
    },
  };
}
