import { LRUCache } from 'lru-cache';
import { atMost } from '../../../config/lru-options.ts';
import { coalesce } from '../../mongo/index.ts';
import type { DeviceKey, DeviceStore } from '../mongo/device-store.ts';

/** Entries of each cache of one process, at about 400 bytes each, and 200 for an owner. */
const MAX_CACHED_KEYS = 65_536;

/** Time to live of a cached key, in milliseconds. */
const CACHE_TTL_MS = 5 * 60_000;

/** Each query for revocations overlaps the previous one by this much, because writers' clocks differ, in milliseconds. */
const OVERLAP_MS = 10 * 60_000;

/** Cached lookups. Each first queries the keys revoked since the last one, so a revocation takes effect once stored. */
export function cacheDeviceKeys(
  store: Pick<DeviceStore, 'keys' | 'revokedSince'>,
  clock: () => number,
): (kids: readonly string[], fresh?: boolean) => Promise<ReadonlyMap<string, DeviceKey>> {
  const cache = new LRUCache<string, DeviceKey>({ ...atMost(MAX_CACHED_KEYS), ttl: CACHE_TTL_MS });
  let queriedAt = 0;

  async function evictRevoked(): Promise<void> {
    const startedAt = clock();
    for (const kid of await store.revokedSince(new Date(queriedAt - OVERLAP_MS))) cache.delete(kid);
    queriedAt = Math.max(queriedAt, startedAt);
  }

  return async (kids, fresh = false) => {
    if (cache.size > 0) await evictRevoked();
    else queriedAt = Math.max(queriedAt, clock());
    const keys = new Map<string, DeviceKey>();
    const missing: string[] = [];
    for (const kid of kids) {
      const known = fresh ? undefined : cache.get(kid);
      if (known === undefined) missing.push(kid);
      else keys.set(kid, known);
    }
    if (missing.length === 0) return keys;
    const found = await store.keys(missing);
    for (const kid of missing) {
      const key = found.get(kid);
      if (key !== undefined) keys.set(kid, key);
      if (key?.revokedAt === null) cache.set(kid, key);
      else cache.delete(kid);
    }
    return keys;
  };
}

/** The owner of a key, revoked or not. Cached: only an erasure ends ownership, and an erased operator makes no requests. */
export function createKeyOwnerLookup(store: Pick<DeviceStore, 'keys'>) {
  const owners = new LRUCache<string, number>(atMost(MAX_CACHED_KEYS));
  const find = coalesce((kids: readonly string[]) => store.keys(kids));
  return async (kid: string, claimant: number): Promise<number | null> => {
    if (owners.get(kid) === claimant) return claimant;
    const key = await find(kid);
    if (key === null) return null;
    owners.set(kid, key.operator);
    return key.operator;
  };
}
