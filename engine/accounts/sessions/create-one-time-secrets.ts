import { SPENT_SECRET_RETENTION_MS } from '../limits.ts';
import type { OneTimeStore } from '../mongo/one-time-store.ts';
import { hashOf, newSecret } from '../secrets.ts';
import type { Clock, OneTimeRequest, OneTimeSecrets } from '../types.ts';

/** Short-lived secrets that work once: links, OAuth states, consent tickets. */
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
      expires_at: new Date(now + lifetimeMs + SPENT_SECRET_RETENTION_MS),
    };
  };
  return {
    async issue(request) {
      const secret = newSecret();
      await store.insert(documentOf(secret, request));
      return secret;
    },
    async issueWithin({ requester, max, periodMs }, request) {
      const secret = newSecret();
      const quotaId = hashOf(`${requester}\n${Math.floor(clock() / periodMs)}`);
      for (let place = 0; place < max; place += 1) {
        if (await store.insertAt(`${quotaId}:${place}`, documentOf(secret, request))) return secret;
      }
      return null;
    },
    peek: (kind, secret) => store.find(hashOf(secret), kind, new Date(clock())),
    consume: (kind, secret) => store.consume(hashOf(secret), kind, new Date(clock())),
  };
}
