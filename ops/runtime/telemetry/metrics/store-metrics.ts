import type { Registry } from 'prom-client';
import { defineMetrics } from './define-metrics.ts';

/** Metrics of the reachability and size of the stores, as seen by this process. */
export type StoreMetrics = ReturnType<typeof createStoreMetrics>;

export function createStoreMetrics(registry: Registry) {
  const { gauge } = defineMetrics(registry);
  const up = gauge('upsilon_store_up', '1 when the last ping of a store succeeded, else 0', 'store');
  const ping = gauge('upsilon_store_ping_seconds', 'Round-trip time of the last successful ping of a store', 'store');
  const pool = gauge(
    'upsilon_mongodb_connections',
    'Connections to MongoDB that are open and in use, and operations that wait for one (wanted)',
    'state',
  );
  const memory = gauge('upsilon_redis_memory_bytes', 'Memory that Redis uses, and its limit (0 = none)', 'kind');
  return {
    /** The round-trip time of a ping in seconds; null when it failed. */
    pinged(store: 'mongodb' | 'redis', seconds: number | null) {
      up.set({ store }, seconds === null ? 0 : 1);
      if (seconds !== null) ping.set({ store }, seconds);
    },
    /** Connections of this process to MongoDB, and the operations that wait for one. */
    pool({ open, inUse, wanted }: { readonly open: number; readonly inUse: number; readonly wanted: number }) {
      for (const [state, count] of Object.entries({ open, in_use: inUse, wanted })) pool.set({ state }, count);
    },
    /** Bytes that Redis uses, and its limit; 0: none. */
    redisMemory(used: number, limit: number) {
      for (const [kind, bytes] of Object.entries({ used, limit })) memory.set({ kind }, bytes);
    },
  };
}
