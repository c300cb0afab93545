import { DURABLE } from '../../mongo/index.ts';
import type { Identity, SignInProvider } from '../types.ts';
import type { Collections } from './collections.ts';
import type { SessionDocument } from './documents.ts';

export interface StoredSession {
  readonly operator: number;
  readonly provider: SignInProvider;
  readonly identity: string | null;
  readonly authenticatedAt: Date;
  readonly expiresAt: Date;
}

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Signed-in browsers, by the hash of the secret in their cookie. */
export function createSessionStore({ sessions }: Collections) {
  return {
    async insert(hash: string, session: StoredSession): Promise<void> {
      const { operator, provider, identity, authenticatedAt, expiresAt } = session;
      const opener = identity === null ? { provider } : { provider, identity };
      const times = { authenticated_at: authenticatedAt, expires_at: expiresAt };
      await sessions.insertOne({ _id: hash, operator, ...opener, ...times }, DURABLE);
    },

    async find(hash: string, now: Date): Promise<StoredSession | null> {
      const found = await sessions.findOne({ _id: hash, expires_at: { $gt: now } });
      return found === null ? null : storedOf(found);
    },

    /** Oldest first. */
    async list(operator: number, now: Date): Promise<readonly StoredSession[]> {
      const found = await sessions
        .find({ operator, expires_at: { $gt: now } })
        .sort({ authenticated_at: 1 })
        .toArray();
      return found.map(storedOf);
    },

    async end(hash: string): Promise<void> {
      await sessions.deleteOne({ _id: hash }, DURABLE);
    },

    /** Ends the sessions that an identity opened; of those stored without an identity, the ones of its provider. */
    async endOpenedBy({ operator, key, provider }: Pick<Identity, 'operator' | 'key' | 'provider'>): Promise<void> {
      const openers = [{ identity: key }, { identity: { $exists: false }, provider }];
      await sessions.deleteMany({ operator, $or: openers }, DURABLE);
    },

    async endAll(operator: number): Promise<number> {
      return (await sessions.deleteMany({ operator }, DURABLE)).deletedCount;
    },

    async count(operator: number, now: Date): Promise<number> {
      return sessions.countDocuments({ operator, expires_at: { $gt: now } });
    },
  };
}

function storedOf({ operator, provider, identity, authenticated_at, expires_at }: SessionDocument): StoredSession {
  const times = { authenticatedAt: authenticated_at, expiresAt: expires_at };
  return { operator, provider, identity: identity ?? null, ...times };
}
