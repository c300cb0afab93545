import type { Counts } from '../../../engine/contract/signing/index.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { SUM, type UsageSummary } from '../store/usage-summary.ts';

type MutableCounts = { -readonly [Field in keyof Counts]: Counts[Field] };

/** The sum of a platform's usages. */
export interface PlatformUsage {
  totals: MutableCounts;
  messages: number;
  /** Messages whose logs were deleted. */
  kept: number;
  placeholders: number;
}

/** Adds up the sums of files by platform. `present`: the numbers of the files that still exist. */
export function addUpUsage(
  { files, sums }: UsageSummary,
  present: ReadonlySet<number>,
): ReadonlyMap<string, PlatformUsage> {
  const all = new Map<string, PlatformUsage>();
  for (const [number, { platform }] of files.entries()) {
    let usage = all.get(platform);
    if (usage === undefined) {
      all.set(platform, (usage = { totals: zeroCounts(), messages: 0, kept: 0, placeholders: 0 }));
    }
    const { totals } = usage;
    const at = number * SUM.fields;
    totals.input += sums[at]!;
    totals.output += sums[at + 1]!;
    totals.cache_read += sums[at + 2]!;
    totals.cache_write += sums[at + 3]!;
    usage.messages += sums[at + SUM.messages]!;
    usage.placeholders += sums[at + SUM.placeholders]!;
    if (!present.has(number)) usage.kept += sums[at + SUM.messages]!;
  }
  return all;
}

/** The usage at or after a moment, in seconds since the epoch, by platform. */
export function usageSince(store: UsageStore, since: number): ReadonlyMap<string, Counts> {
  const all = store.platforms.map(() => zeroCounts());
  store.table.forEach(({ platform, counts, time }) => {
    if (time >= since) addCounts(all[platform]!, counts);
  });
  return new Map(store.platforms.map((platform, number) => [platform, all[number]!]));
}

export function zeroCounts(): MutableCounts {
  return { input: 0, output: 0, cache_read: 0, cache_write: 0 };
}

export function addCounts(target: MutableCounts, more: Counts): void {
  target.input += more.input;
  target.output += more.output;
  target.cache_read += more.cache_read;
  target.cache_write += more.cache_write;
}
