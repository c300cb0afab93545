import { SPENT_SECRET_MEMORY_MS } from '../limits.ts';
import type { OneTimeStore } from '../mongo/one-time-store.ts';
import { hashOf, newSecret } from '../secrets.ts';
import type { Clock, OneTimeRequest, OneTimeSecrets } from '../types.ts';

/** Secrets that work once and not for long: links, states, tickets. */
export function createOneTimeSecrets(store: OneTimeStore, clock: Clock): OneTimeSecrets {
  const documentOf = (secret: string, { kind, data, lifetimeMs, about }: OneTimeRequest) => {
    const now = clock();
    return {
      _id: hashOf(secret),
      kind,
      data: { ...data },
      about: about ?? null,
      created_at: new Date(now),
      valid_until: new Date(now + lifetimeMs),
      expires_at: new Date(now + lifetimeMs + SPENT_SECRET_MEMORY_MS),
    };
  };
  return {
    async issue(request) {
      const secret = newSecret();
      await store.insert(documentOf(secret, request));
      return secret;
    },
    async issueWithin({ of, most, periodMs }, request) {
      const secret = newSecret();
      const share = hashOf(`${of}\n${Math.floor(clock() / periodMs)}`);
      for (let place = 0; place < most; place += 1) {
        if (await store.insertAt(`${share}:${place}`, documentOf(secret, request))) return secret;
      }
      return null;
    },
    peek: (kind, secret) => store.find(hashOf(secret), kind, new Date(clock())),
    consume: (kind, secret) => store.consume(hashOf(secret), kind, new Date(clock())),
  };
}
