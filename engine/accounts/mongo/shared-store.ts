import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { Collections } from './collections.ts';
import type { SecretRecords } from './secret-records.ts';

export type SharedStore = ReturnType<typeof createSharedStore>;

/** What processes agree on: secrets of the installation, and who does a thing that only one may do at a time. */
export function createSharedStore({ secrets, signUps, ...swept }: Collections, records: SecretRecords) {
  return {
    /** The secret of this name; null when there is none. */
    async secret(name: string): Promise<string | null> {
      const found = await secrets.findOne({ _id: name });
      return found === null ? null : records.open('shared_secrets', found).toString();
    },

    /** False when another process offered one first. */
    offerSecret(name: string, value: string): Promise<boolean> {
      const encrypted = records.encrypt('shared_secrets', { _id: name }, Buffer.from(value));
      const member = encrypted === null ? { value } : { encrypted };
      return insertUnlessTaken(() => secrets.insertOne({ _id: name, ...member }, DURABLE));
    },

    /** Whether the holder may do it until then. */
    async hold(name: string, holder: string, now: Date, until: Date): Promise<boolean> {
      const free = { _id: name, until: { $lte: now } };
      const taken = await signUps.updateOne(free, { $set: { holder, until } }, DURABLE);
      if (taken.matchedCount === 1) return true;
      return insertUnlessTaken(() => signUps.insertOne({ _id: name, holder, until }, DURABLE));
    },

    async release(name: string, holder: string): Promise<void> {
      await signUps.deleteOne({ _id: name, holder });
    },

    /** Deletes what has expired, and answers how much it was. */
    async sweep(now: Date, auditBefore: Date): Promise<number> {
      const expired = { expires_at: { $lte: now } };
      const deletions = await Promise.all([
        swept.sessions.deleteMany(expired),
        swept.oneTime.deleteMany(expired),
        swept.oidc.deleteMany(expired),
        swept.denials.deleteMany(expired),
        swept.accountChanges.deleteMany(expired),
        swept.audit.deleteMany({ at: { $lt: auditBefore } }),
        signUps.deleteMany({ until: { $lte: now } }),
      ]);
      return deletions.reduce((sum, { deletedCount }) => sum + deletedCount, 0);
    },
  };
}
