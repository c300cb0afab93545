import type { Registry } from 'prom-client';
import { MS_PER_SECOND } from '../../../../config/units.ts';
import { defineMetrics } from './define-metrics.ts';

/** Metrics of the reachability and size of the stores, as seen by this process. */
export type StoreMetrics = ReturnType<typeof createStoreMetrics>;

/** What MongoDB occupies, in bytes, and when the data were last exported (milliseconds since the epoch; null: never). */
interface StoredData {
  readonly disk: { readonly used: number; readonly total: number };
  readonly stored: { readonly database: number; readonly log: number };
  readonly exportedAt: number | null;
}

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
  const disk = gauge(
    'upsilon_disk_bytes',
    "The file system of MongoDB's data, of the fullest shard: bytes in use, and all (total)",
    'kind',
  );
  const stored = gauge('upsilon_stored_bytes', 'Bytes on disk of all data, and of the snapshot log in them', 'data');
  const exported = gauge(
    'upsilon_export_timestamp_seconds',
    'When "data export" last finished, or when this process started if it never did; take the maximum over processes',
  );
  const offset = gauge('upsilon_clock_offset_seconds', 'Clock of this process minus that of Redis');
  const startedAt = Date.now();
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
    holds(data: StoredData) {
      for (const [kind, bytes] of Object.entries(data.disk)) disk.set({ kind }, bytes);
      for (const [of, bytes] of Object.entries(data.stored)) stored.set({ data: of }, bytes);
      exported.set((data.exportedAt ?? startedAt) / MS_PER_SECOND);
    },
    clockOffset: (seconds: number) => offset.set(seconds),
    /** Bytes that Redis uses, and its limit; 0: none. */
    redisMemory(used: number, limit: number) {
      for (const [kind, bytes] of Object.entries({ used, limit })) memory.set({ kind }, bytes);
    },
  };
}
