import type { Counts } from '../../../engine/contract/signing/index.ts';
import type { UsageStore } from '../store/usage-file.ts';

type MutableCounts = { -readonly [Field in keyof Counts]: Counts[Field] };

/** A platform's usages, added up. */
export interface PlatformUsage {
  totals: MutableCounts;
  messages: number;
  /** Messages whose logs are gone. */
  kept: number;
  placeholders: number;
}

/** Adds up the store by platform. `present` holds the numbers of the files that are there now. */
export function addUpUsage(store: UsageStore, present: ReadonlySet<number>): ReadonlyMap<string, PlatformUsage> {
  const all = store.platforms.map(
    (): PlatformUsage => ({ totals: zeroCounts(), messages: 0, kept: 0, placeholders: 0 }),
  );
  store.table.forEach(({ platform, counts, messages, file }) => {
    const usage = all[platform]!;
    addCounts(usage.totals, counts);
    usage.messages += messages;
    if (!present.has(file)) usage.kept += messages;
    const others = counts.output + counts.cache_read + counts.cache_write;
    if (counts.input <= 1 && others > 0) usage.placeholders += messages;
  });
  return new Map(store.platforms.map((platform, number) => [platform, all[number]!]));
}

/** The usage of a moment, in seconds, or later; by platform. */
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
