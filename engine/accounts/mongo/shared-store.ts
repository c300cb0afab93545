import { insertUnlessTaken } from '../../mongo/index.ts';
import { newSecret } from '../secrets.ts';
import type { Models } from './models.ts';
import type { SecretRecords } from './secret-records.ts';

/** Secrets and locks shared by all processes. */
export function createSharedStore({ secrets, signUps, ...expiring }: Models, records: SecretRecords) {
  const known = new Map<string, Promise<string>>();

  async function find(name: string): Promise<string | null> {
    const found = await secrets.findOne({ _id: name }).lean();
    return found === null ? null : (await records.openEncrypting('shared_secrets', found)).toString();
  }

  async function findOrCreate(name: string): Promise<string> {
    const found = await find(name);
    if (found !== null) return found;
    // Without the key, nothing is created in clear beside encrypted secrets.
    if (!records.encrypts) await records.check();
    const value = newSecret();
    const document = { _id: name, ...records.seal('shared_secrets', { _id: name }, Buffer.from(value)) };
    if (await insertUnlessTaken(() => secrets.insertOne(document))) return value;
    const others = await find(name);
    if (others === null) throw new Error(`the secret ${name} cannot be read`);
    return others;
  }

  return {
    /** A permanent secret of this installation: 32 random bytes, base64url. The process that finds none creates it. */
    secret(name: string): Promise<string> {
      const reading = known.get(name) ?? findOrCreate(name);
      known.set(name, reading);
      reading.catch(() => known.delete(name));
      return reading;
    },

    /** Acquires a lock until a time; false when another holder has it. */
    async acquireLock(name: string, holder: string, now: Date, until: Date): Promise<boolean> {
      const free = { _id: name, until: { $lte: now } };
      const taken = await signUps.updateOne(free, { $set: { holder, until } });
      if (taken.matchedCount === 1) return true;
      return insertUnlessTaken(() => signUps.insertOne({ _id: name, holder, until }));
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
        expiring.excludedIdentities.deleteMany(expired),
        expiring.audit.deleteMany({ at: { $lt: auditBefore } }),
        signUps.deleteMany({ until: { $lte: now } }),
      ]);
      // The key of an expired automation token frees its slot.
      const ended = { ...expired, revoked_at: { $exists: false } };
      await expiring.devices.updateMany(ended, { $set: { revoked_at: now }, $unset: { slot: true } });
      return deletions.reduce((sum, { deletedCount }) => sum + deletedCount, 0);
    },
  };
}
