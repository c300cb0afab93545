import { SESSION_LIFETIME_MS } from './limits.ts';
import type { AccountStore } from './mongo/account-store.ts';
import type { Identity, IdentityStore } from './mongo/identity-store.ts';
import type { Models, SessionDocument } from './mongo/models.ts';
import { hashOf, newSecret } from './secrets.ts';

/** A signed-in browser. Times are milliseconds since the epoch. */
export type Session = ReturnType<typeof toSession>;

/** Signed-in browsers, by the hash of the secret in their cookie. */
export function createSessions(
  { sessions }: Pick<Models, 'sessions'>,
  identities: Pick<IdentityStore, 'find'>,
  accounts: Pick<AccountStore, 'byOperator'>,
  clock: () => number,
) {
  const live = () => ({ expires_at: { $gt: new Date(clock()) } });

  async function end(secret: string): Promise<void> {
    await sessions.deleteOne({ _id: hashOf(secret) });
  }

  return {
    /** Signs a browser in and returns its secret for the cookie; null when the identity was unlinked, or the account suspended, meanwhile. */
    async begin({ operator, provider, identity }: Pick<SessionDocument, 'operator' | 'provider' | 'identity'>) {
      const secret = newSecret();
      const now = clock();
      const times = { authenticated_at: new Date(now), expires_at: new Date(now + SESSION_LIFETIME_MS) };
      const session = { _id: hashOf(secret), operator, provider, identity, ...times };
      await sessions.insertOne(session);
      // Read after the insert: a removal or a suspension that happens later ends the session.
      const [opener, account] = await Promise.all([identities.find(identity), accounts.byOperator(operator)]);
      if (opener?.operator !== operator || account?.suspended !== false) {
        await end(secret);
        return null;
      }
      return { secret, session: toSession(session) };
    },

    async find(secret: string): Promise<Session | null> {
      const found = await sessions.findOne({ _id: hashOf(secret), ...live() }).lean();
      return found === null ? null : toSession(found);
    },

    /** The signed-in browsers without their secrets, oldest first. */
    async list(operator: number): Promise<readonly Session[]> {
      const found = sessions.find({ operator, ...live() }).sort({ authenticated_at: 1 });
      return (await found.lean()).map(toSession);
    },

    end,

    /** Ends the sessions that an identity opened. */
    async endOpenedBy({ operator, key }: Pick<Identity, 'operator' | 'key'>): Promise<void> {
      await sessions.deleteMany({ operator, identity: key });
    },

    /** Signs every browser out; returns their number. */
    endAll: async (operator: number): Promise<number> => (await sessions.deleteMany({ operator })).deletedCount,

    count: (operator: number): Promise<number> => sessions.countDocuments({ operator, ...live() }),
  };
}

function toSession({ operator, provider, identity, authenticated_at, expires_at }: SessionDocument) {
  const times = { authenticatedAt: authenticated_at.getTime(), expiresAt: expires_at.getTime() };
  return { operator, provider, identity, ...times };
}
