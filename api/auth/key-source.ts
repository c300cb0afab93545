import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';
import { singleFlight } from '../../config/single-flight.ts';
import type { Clock } from '../../engine/ranking/index.ts';

/** Finds the key of a token by its `kid`. Throws jose's errors. */
export type KeySource = JWTVerifyGetKey;

/** Minimum time between two reads of the keys for tokens with an unknown `kid`, in milliseconds. */
const REFRESH_COOLDOWN_MS = 5_000;

/** Time to live of the keys, in milliseconds: after it a withdrawn key stops working. */
const REFRESH_AFTER_MS = 300_000;

/** The service's keys, cached and read again for a token with an unknown `kid`. */
export function createKeySource(read: () => Promise<{ readonly keys: readonly JWK[] }>, clock: Clock): KeySource {
  let keys: JWTVerifyGetKey | null = null;
  let readAt = 0;
  const joinRead = singleFlight<JWTVerifyGetKey>();
  const refresh = (): Promise<JWTVerifyGetKey> =>
    joinRead(async () => {
      const set = await read();
      keys = createLocalJWKSet({ keys: [...set.keys] });
      readAt = clock();
      return keys;
    });
  return async (header, token) => {
    const fresh = keys !== null && Math.abs(clock() - readAt) < REFRESH_AFTER_MS;
    const current = fresh && keys !== null ? keys : await refresh();
    try {
      return await current(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || Math.abs(clock() - readAt) < REFRESH_COOLDOWN_MS) throw error;
      return (await refresh())(header, token);
    }
  };
}
