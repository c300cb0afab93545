import { LRUCache } from 'lru-cache';
import type { DeviceStore } from '../mongo/device-store.ts';
import type { Clock, DeviceKey } from '../types.ts';

/** Keys that one process remembers, at about 400 bytes each. */
const MAX_REMEMBERED_KEYS = 65_536;

/** A key is read again after this long in any case, in milliseconds. */
const REMEMBERED_MS = 5 * 60_000;

/** Revocations are asked for from this long before the last answer, because writers' clocks differ, in milliseconds. */
const OVERLAP_MS = 10 * 60_000;

/**
 * Looks keys up and remembers them. Every lookup first asks which keys were revoked since the one before it, which costs
 * as little as one command, so that a revocation is known as soon as it is stored.
 */
export function rememberKeys(
  store: Pick<DeviceStore, 'keys' | 'revokedSince'>,
  clock: Clock,
): (kids: readonly string[], fresh?: boolean) => Promise<ReadonlyMap<string, DeviceKey>> {
  const remembered = new LRUCache<string, DeviceKey>({ max: MAX_REMEMBERED_KEYS, ttl: REMEMBERED_MS });
  let askedAt = 0;

  async function forgetRevoked(): Promise<void> {
    const asking = clock();
    for (const kid of await store.revokedSince(new Date(askedAt - OVERLAP_MS))) remembered.delete(kid);
    askedAt = Math.max(askedAt, asking);
  }

  return async (kids, fresh = false) => {
    if (remembered.size > 0) await forgetRevoked();
    else askedAt = Math.max(askedAt, clock());
    const keys = new Map<string, DeviceKey>();
    const absent: string[] = [];
    for (const kid of kids) {
      const known = fresh ? undefined : remembered.get(kid);
      if (known === undefined) absent.push(kid);
      else keys.set(kid, known);
    }
    if (absent.length === 0) return keys;
    const found = await store.keys(absent);
    for (const kid of absent) {
      const key = found.get(kid);
      if (key !== undefined) keys.set(kid, key);
      if (key?.revokedAt === null) remembered.set(kid, key);
      else remembered.delete(kid);
    }
    return keys;
  };
}
