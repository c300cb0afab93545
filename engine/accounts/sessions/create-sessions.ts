import { SESSION_LIFETIME_MS } from '../limits.ts';
import type { AccountStore } from '../mongo/account-store.ts';
import type { IdentityStore } from '../mongo/identity-store.ts';
import type { SessionStore, StoredSession } from '../mongo/session-store.ts';
import { hashOf, newSecret } from '../secrets.ts';
import type { Clock, Session, Sessions } from '../types.ts';

export function createSessions(
  store: SessionStore,
  identities: Pick<IdentityStore, 'find'>,
  accounts: Pick<AccountStore, 'byOperator'>,
  clock: Clock,
): Sessions {
  return {
    async begin({ operator, provider, identity }) {
      const secret = newSecret();
      const authenticatedAt = clock();
      const expiresAt = authenticatedAt + SESSION_LIFETIME_MS;
      const times = { authenticatedAt: new Date(authenticatedAt), expiresAt: new Date(expiresAt) };
      await store.insert(hashOf(secret), { operator, provider, identity, ...times });
      // Read after the insert: a removal or a suspension that happens later ends the session.
      const [opener, account] = await Promise.all([identities.find(identity), accounts.byOperator(operator)]);
      if (opener?.operator !== operator || account?.suspended !== false) {
        await store.end(hashOf(secret));
        return null;
      }
      return { secret, session: { operator, provider, identity, authenticatedAt, expiresAt } };
    },
    async find(secret) {
      const found = await store.find(hashOf(secret), new Date(clock()));
      return found === null ? null : sessionOf(found);
    },
    list: async (operator) => (await store.list(operator, new Date(clock()))).map(sessionOf),
    end: (secret) => store.end(hashOf(secret)),
    endAll: (operator) => store.endAll(operator),
    count: (operator) => store.count(operator, new Date(clock())),
  };
}

function sessionOf({ authenticatedAt, expiresAt, ...rest }: StoredSession): Session {
  return { ...rest, authenticatedAt: authenticatedAt.getTime(), expiresAt: expiresAt.getTime() };
}
