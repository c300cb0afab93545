import { SPENT_SECRET_MEMORY_MS } from '../limits.ts';
import type { OneTimeStore } from '../mongo/one-time-store.ts';
import { hashOf, newSecret } from '../secrets.ts';
import type { Clock, OneTimeSecrets } from '../types.ts';

/** Secrets that work once and not for long: links, states, tickets. */
export function createOneTimeSecrets(store: OneTimeStore, clock: Clock): OneTimeSecrets {
  return {
    async issue({ kind, data, lifetimeMs, about }) {
      const secret = newSecret();
      const now = clock();
      await store.insert({
        _id: hashOf(secret),
        kind,
        data: { ...data },
        about: about ?? null,
        created_at: new Date(now),
        valid_until: new Date(now + lifetimeMs),
        expires_at: new Date(now + lifetimeMs + SPENT_SECRET_MEMORY_MS),
      });
      return secret;
    },
    peek: (kind, secret) => store.find(hashOf(secret), kind, new Date(clock())),
    consume: (kind, secret) => store.consume(hashOf(secret), kind, new Date(clock())),
    countSince: (about, periodMs) => store.countSince(about, new Date(clock() - periodMs)),
  };
}
