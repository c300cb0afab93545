import type { Counts } from '../../../engine/contract/signing/index.ts';
import type { SkipReason } from '../sources/source.ts';
import { addCounts, addUnder, type MutableCounts, type StoredOrigin, zeroCounts } from './usage.ts';

/** The length of a bucket in seconds. Every time zone in use differs from UTC by a multiple of it. */
export const BUCKET_SECONDS = 900;

/** In place of the version of a source: the file is another tool's report, whose counts were imported. */
export const IMPORT_VERSION = 0;

/** In place of the session of counts that were imported from a report of another tool: the sums of a day. */
export const IMPORT_SESSION = 'imported';

const HALF_DAY_SECONDS = 43_200;

/** A file that was read: enough to detect a change, and to report it without reading it again. */
export interface FileEntry {
  readonly id: number;
  readonly path: string;
  readonly platform: string;
  /** The version of the source that read it. */
  readonly version: number;
  /** Size, time and inode of the file and its companions. */
  readonly fingerprint: string;
  readonly bytes: number;
  readonly records: number;
  readonly skipped: Readonly<Record<SkipReason, number>>;
}

/** A count of 0 for each reason to skip a record. */
export function skipCounts(): Record<SkipReason, number> {
  return { not_json: 0, truncated: 0, too_long: 0, invalid_counts: 0, no_identity: 0, synthetic: 0, unknown_type: 0 };
}

/** The usage of a quarter of an hour, from one file and of one origin: what the local views are made from. */
export interface Bucket extends Counts {
  /** Each usage is in the buckets of the last file with a record of it, which may have been deleted. */
  readonly file: FileEntry;
  readonly origin: StoredOrigin;
  /** Its start, in seconds since the epoch. */
  readonly time: number;
  /** Number of model responses. */
  readonly messages: number;
  /** Messages with an input of 0 or 1 although other tokens were counted, which suggests a placeholder. */
  readonly placeholders: number;
}

/** The sum of a platform's usage. */
export type PlatformUsage = ReturnType<typeof emptyUsage>;

/** Adds up usage by platform. `present`: the numbers of the files that still exist. */
export function usageByPlatform(buckets: readonly Bucket[], present: ReadonlySet<number>) {
  const all = new Map<string, PlatformUsage>();
  const tokens = new Map<FileEntry, number>();
  for (const bucket of buckets) {
    const { file, messages, placeholders } = bucket;
    const usage = all.get(file.platform) ?? emptyUsage();
    all.set(file.platform, usage);
    addCounts(usage.totals, bucket);
    usage.messages += messages;
    usage.placeholders += placeholders;
    if (file.version === IMPORT_VERSION) usage.imported += messages;
    else if (!present.has(file.id)) usage.kept += messages;
    const { input, output, cache_read, cache_write } = bucket;
    tokens.set(file, (tokens.get(file) ?? 0) + input + output + cache_read + cache_write);
  }
  for (const [{ path, platform }, sum] of tokens) {
    const usage = all.get(platform)!;
    if (sum > usage.largest.tokens) usage.largest = { path, tokens: sum };
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

/** The usage at or after a moment, in seconds since the epoch and a multiple of `BUCKET_SECONDS`, by platform. */
export function usageSince(buckets: readonly Bucket[], since: number): ReadonlyMap<string, Counts> {
  const all = new Map<string, MutableCounts>();
  for (const bucket of buckets) addUnder(all, bucket.file.platform, bucket.time >= since ? bucket : zeroCounts());
  return all;
}

/** The buckets without imported sums within half a day of whose time, the noon of their day, there is logged usage of the platform. */
export function withoutSuperseded(buckets: readonly Bucket[]): readonly Bucket[] {
  const isImport = ({ origin }: Bucket): boolean => origin.session === IMPORT_SESSION;
  if (!buckets.some(isImport)) return buckets;
  const logged = new Set(
    buckets.filter((bucket) => !isImport(bucket)).map(({ file, time }) => `${file.platform} ${time}`),
  );
  return buckets.filter((bucket) => {
    const { file, time: noon } = bucket;
    if (!isImport(bucket)) return true;
    // A local day begins with a quarter of an hour in every time zone.
    for (let time = noon - HALF_DAY_SECONDS; time < noon + HALF_DAY_SECONDS; time += BUCKET_SECONDS) {
      if (logged.has(`${file.platform} ${time}`)) return false;
    }
    return true;
  });
}
