import { LRUCache } from 'lru-cache';
import { coalesce } from '../../mongo/index.ts';
import type { DeviceStore } from '../mongo/device-store.ts';

/** Entries of one process, at about 200 bytes each. */
const MAX_CACHED_KEYS = 65_536;

/**
 * Finds the owners of device keys. The cached owner is used only if it is the expected one: only an erasure ends ownership,
 * and an erased operator makes no requests. Otherwise the owner is read from the store; concurrent reads share one query.
 * Null for an unknown key; an owner of a revoked key is found, too.
 */
export function createKeyOwners(store: Pick<DeviceStore, 'keys'>) {
  const owners = new LRUCache<string, number>({ max: MAX_CACHED_KEYS });
  const find = coalesce((kids: readonly string[]) => store.keys(kids));
  return async (kid: string, expected: number): Promise<number | null> => {
    if (owners.get(kid) === expected) return expected;
    const key = await find(kid);
    if (key === null) return null;
    owners.set(kid, key.operator);
    return key.operator;
  };
}
