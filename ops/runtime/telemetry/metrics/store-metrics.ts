import { Gauge, type Registry } from 'prom-client';

export type StoreName = 'mongodb' | 'redis';

/** Reports the reachability and size of the stores, as seen by this process. */
export interface StoreMetrics {
  /** The round-trip time of a ping in seconds; null when it failed. */
  pinged(store: StoreName, seconds: number | null): void;
  /** Connections of this process to MongoDB, and the operations that wait for one. */
  pool(connections: { readonly open: number; readonly inUse: number; readonly wanted: number }): void;
  /** Bytes that Redis uses, and its limit; 0: none. */
  redisMemory(used: number, limit: number): void;
}

export function createStoreMetrics(registry: Registry): StoreMetrics {
  const registers = [registry];
  const up = new Gauge({
    name: 'upsilon_store_up',
    help: '1 when the last ping of a store succeeded, else 0',
    labelNames: ['store'] as const,
    registers,
  });
  const ping = new Gauge({
    name: 'upsilon_store_ping_seconds',
    help: 'Round-trip time of the last successful ping of a store',
    labelNames: ['store'] as const,
    registers,
  });
  const pool = new Gauge({
    name: 'upsilon_mongodb_connections',
    help: 'Connections to MongoDB that are open and in use, and operations that wait for one (wanted)',
    labelNames: ['state'] as const,
    registers,
  });
  const memory = new Gauge({
    name: 'upsilon_redis_memory_bytes',
    help: 'Memory that Redis uses, and its limit (0 = none)',
    labelNames: ['kind'] as const,
    registers,
  });
  return {
    pinged(store, seconds) {
      up.set({ store }, seconds === null ? 0 : 1);
      if (seconds !== null) ping.set({ store }, seconds);
    },
    pool({ open, inUse, wanted }) {
      pool.set({ state: 'open' }, open);
      pool.set({ state: 'in_use' }, inUse);
      pool.set({ state: 'wanted' }, wanted);
    },
    redisMemory(used, limit) {
      memory.set({ kind: 'used' }, used);
      memory.set({ kind: 'limit' }, limit);
    },
  };
}
