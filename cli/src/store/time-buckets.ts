import type { Origin } from '../sources/source.ts';
import { type ColumnsOf, GrowingColumns } from './columns.ts';
import type { UsageStore } from './usage-store.ts';

/** The length of a bucket in seconds. Every time zone in use differs from UTC by a multiple of it. */
export const BUCKET_SECONDS = 900;

/** The stored columns of the buckets. */
export const BUCKET_COLUMNS = {
  /** Four sums per row, in the order of `COUNT_FIELDS`. */
  counts: Float64Array,
  /** The bucket's start: seconds since the epoch, divided by `BUCKET_SECONDS`. */
  times: Uint32Array,
  origins: Uint32Array,
  messages: Uint32Array,
  platforms: Uint8Array,
};

/** Every usage of a store, summed by quarter of an hour, platform and origin: what the local views are made from. */
export interface TimeBuckets {
  readonly platforms: readonly string[];
  readonly origins: readonly Origin[];
  readonly columns: ColumnsOf<typeof BUCKET_COLUMNS>;
}

/** Sums a store's usages. */
export function bucketsOf({ table, platforms }: UsageStore): TimeBuckets {
  const rows = new GrowingColumns(BUCKET_COLUMNS);
  const known = platforms.map(() => new Map<number, number>());
  table.forEach(({ platform, origin, time, counts: { input, output, cache_read, cache_write }, messages }) => {
    const at = Math.floor(time / BUCKET_SECONDS);
    const key = origin * 2 ** 23 + at;
    let row = known[platform]!.get(key);
    if (row === undefined) {
      row = rows.append();
      known[platform]!.set(key, row);
      rows.cells.times[row] = at;
      rows.cells.origins[row] = origin;
      rows.cells.platforms[row] = platform;
    }
    const { counts } = rows.cells;
    counts[row * 4]! += input;
    counts[row * 4 + 1]! += output;
    counts[row * 4 + 2]! += cache_read;
    counts[row * 4 + 3]! += cache_write;
    rows.cells.messages[row]! += messages;
  });
  return { platforms, origins: table.origins.list, columns: rows.stored() };
}
