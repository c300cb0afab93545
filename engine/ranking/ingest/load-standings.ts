import { LRUCache } from 'lru-cache';
import type { LoadedStanding, OperatorStore } from '../mongo/operator-store.ts';

/** Standings kept in a worker's memory; at about 2 KiB each. */
const CACHED_STANDINGS = 20_000;

export type StandingCache = LRUCache<number, LoadedStanding>;

/**
 * Standings that this process wrote or read last. A stale one costs a lost race and a second read, never a wrong write:
 * every write is conditional on the revision, and so is the decision that there is nothing to write.
 */
export function createStandingCache(): StandingCache {
  return new LRUCache({ max: CACHED_STANDINGS });
}

export interface LoadedStandings {
  /** By operator; those that do not exist or are erased are absent. */
  readonly standings: ReadonlyMap<number, LoadedStanding>;
  /** The operators whose standing came from the cache: the store may know better. */
  readonly remembered: ReadonlySet<number>;
}

/** The standings of those operators that exist and are not erased, from the cache where it has them. */
export async function loadStandings(
  store: OperatorStore,
  cache: StandingCache,
  operators: readonly number[],
): Promise<LoadedStandings> {
  const loaded = new Map<number, LoadedStanding>();
  const absent: number[] = [];
  for (const operator of operators) {
    const known = cache.get(operator);
    if (known === undefined) absent.push(operator);
    else loaded.set(operator, known);
  }
  const remembered = new Set(loaded.keys());
  if (absent.length > 0) {
    for (const [operator, standing] of await store.standings(absent)) {
      cache.set(operator, standing);
      loaded.set(operator, standing);
    }
  }
  return { standings: loaded, remembered };
}
