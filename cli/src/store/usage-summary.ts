import type { Counts } from '../../../engine/contract/signing/index.ts';
import { IMPORT_VERSION, type UsageStore } from './usage-store.ts';
import type { MutableCounts } from './usage-table.ts';

/** Positions in a file's sums: the four counts, in the order of `COUNT_FIELDS`, then these. */
export const SUM = { messages: 4, placeholders: 5, fields: 6 } as const;

/** The sums of a store by file: enough to report unchanged files without reading single usages. */
export type UsageSummary = Readonly<ReturnType<typeof summarize>>;

/**
 * Adds up a store by file: `SUM.fields` numbers per file, the sum of the usages of which it has the last record. Each usage
 * is in the sums of one file, which is of the usage's platform. Includes deleted files.
 */
export function summarize({ files, table }: UsageStore) {
  const sums: Float64Array = new Float64Array(files.length * SUM.fields);
  table.forEach(({ file, counts: { input, output, cache_read, cache_write }, messages }) => {
    const at = file * SUM.fields;
    sums[at]! += input;
    sums[at + 1]! += output;
    sums[at + 2]! += cache_read;
    sums[at + 3]! += cache_write;
    sums[at + SUM.messages]! += messages;
    // A suspected placeholder: an input of 0 or 1 although other tokens were counted.
    if (input <= 1 && output + cache_read + cache_write > 0) sums[at + SUM.placeholders]! += messages;
  });
  return { files, sums };
}

/** The sum of a platform's usages. */
export type PlatformUsage = ReturnType<typeof emptyUsage>;

/** Adds up the sums of files by platform. `present`: the numbers of the files that still exist. */
export function addUpUsage({ files, sums }: UsageSummary, present: ReadonlySet<number>) {
  const all = new Map<string, PlatformUsage>();
  for (const [number, { path, platform, version }] of files.entries()) {
    const usage = all.get(platform) ?? emptyUsage();
    all.set(platform, usage);
    const at = number * SUM.fields;
    usage.totals.input += sums[at]!;
    usage.totals.output += sums[at + 1]!;
    usage.totals.cache_read += sums[at + 2]!;
    usage.totals.cache_write += sums[at + 3]!;
    const tokens = sums[at]! + sums[at + 1]! + sums[at + 2]! + sums[at + 3]!;
    if (tokens > usage.largest.tokens) usage.largest = { path, tokens };
    usage.messages += sums[at + SUM.messages]!;
    usage.placeholders += sums[at + SUM.placeholders]!;
    if (version === IMPORT_VERSION) usage.imported += sums[at + SUM.messages]!;
    else if (!present.has(number)) usage.kept += sums[at + SUM.messages]!;
  }
  return all;
}

export function emptyUsage() {
  return {
    totals: zeroCounts(),
    messages: 0,
    /** Messages whose logs were deleted. */
    kept: 0,
    /** Sums of a day and a model that were imported from another tool's report. */
    imported: 0,
    placeholders: 0,
    /** The file with the most tokens. */
    largest: { path: '', tokens: -1 },
  };
}

/** The usage at or after a moment, in seconds since the epoch, by platform. */
export function usageSince({ platforms, table }: UsageStore, since: number): ReadonlyMap<string, Counts> {
  const all = platforms.map(zeroCounts);
  table.forEach(({ platform, counts, time }) => {
    if (time >= since) addCounts(all[platform]!, counts);
  });
  return new Map(platforms.map((platform, number) => [platform, all[number]!]));
}

export function zeroCounts(): MutableCounts {
  return { input: 0, output: 0, cache_read: 0, cache_write: 0 };
}

export function addCounts(target: MutableCounts, more: Counts): void {
  // Spelled out: the views do this for every bucket, and members by name are slow until V8 compiles the loop.
  target.input += more.input;
  target.output += more.output;
  target.cache_read += more.cache_read;
  target.cache_write += more.cache_write;
}
