import { LRUCache } from 'lru-cache';
import { atMost } from '../../../config/lru-options.ts';
import type { StateCache } from '../context.ts';
import type { LoadedState, OperatorStore } from '../storage/operators.ts';

/** Operator states in a worker's memory, about 2 KiB each. */
const CACHED_STATES = 20_000;

/**
 * Operator states that this process wrote or read last. A stale entry costs a lost race and a second read, never a wrong
 * write: every write is conditional on the revision, and so is the decision that there is nothing to write.
 */
export function createStateCache(): StateCache {
  return new LRUCache(atMost(CACHED_STATES));
}

export type LoadedStates = Awaited<ReturnType<typeof loadStates>>;

/**
 * The states of the operators that exist and are not erased, from the cache where possible. `cached` are the operators whose
 * state came from there and may be stale.
 */
export async function loadStates(store: OperatorStore, cache: StateCache, operators: readonly number[]) {
  const operatorStates = new Map<number, LoadedState>();
  const absent: number[] = [];
  for (const operator of operators) {
    const known = cache.get(operator);
    if (known === undefined) absent.push(operator);
    else operatorStates.set(operator, known);
  }
  const cached = new Set(operatorStates.keys());
  if (absent.length > 0) {
    for (const [operator, operatorState] of await store.operatorStates(absent)) {
      cache.set(operator, operatorState);
      operatorStates.set(operator, operatorState);
    }
  }
  return { operatorStates, cached };
}
