import { createLocalJWKSet, createRemoteJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../engine/ranking/index.ts';

/** Finds the key that a token names. Throws jose's errors. */
export type KeySource = JWTVerifyGetKey;

/** Least time between two reads of our own keys because of tokens that name an unknown one, in milliseconds. */
const REFRESH_COOLDOWN_MS = 5_000;

/** Time after which our own keys are read again in any case, in milliseconds: a withdrawn key stops working. */
const REFRESH_AFTER_MS = 300_000;

/** Keys of another identity provider, followed over HTTP with jose's own caching. */
export function remoteKeySource(jwksUrl: string): KeySource {
  return createRemoteJWKSet(new URL(jwksUrl));
}

/** Our own keys, kept in memory and read again when a token names one that is not among them. */
export function localKeySource(read: () => Promise<{ readonly keys: readonly JWK[] }>, clock: Clock): KeySource {
  let keys: JWTVerifyGetKey | null = null;
  let readAt = 0;
  let reading: Promise<JWTVerifyGetKey> | null = null;
  const refresh = (): Promise<JWTVerifyGetKey> => {
    reading ??= read()
      .then((set) => {
        keys = createLocalJWKSet({ keys: [...set.keys] });
        readAt = clock();
        return keys;
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  return async (header, token) => {
    const fresh = keys !== null && clock() - readAt < REFRESH_AFTER_MS;
    const current = fresh && keys !== null ? keys : await refresh();
    try {
      return await current(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || clock() - readAt < REFRESH_COOLDOWN_MS) throw error;
      return (await refresh())(header, token);
    }
  };
}
