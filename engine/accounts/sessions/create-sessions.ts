import { SESSION_LIFETIME_MS } from '../limits.ts';
import type { SessionStore, StoredSession } from '../mongo/session-store.ts';
import { hashOf, newSecret } from '../secrets.ts';
import type { Clock, Session, Sessions } from '../types.ts';

/** Browsers that are signed in. */
export function createSessions(store: SessionStore, clock: Clock): Sessions {
  return {
    async begin(operator, provider) {
      const secret = newSecret();
      const authenticatedAt = clock();
      const expiresAt = authenticatedAt + SESSION_LIFETIME_MS;
      const times = { authenticatedAt: new Date(authenticatedAt), expiresAt: new Date(expiresAt) };
      await store.insert(hashOf(secret), { operator, provider, ...times });
      return { secret, session: { operator, provider, authenticatedAt, expiresAt } };
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
