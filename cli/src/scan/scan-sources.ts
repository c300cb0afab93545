import { SKIP_REASONS } from '../sources/source.ts';
import { type Bucket, emptyUsage, type PlatformUsage, skipCounts, usageByPlatform } from '../store/buckets.ts';
import { fileKey, type UsageStore } from '../store/usage-store.ts';
import type { FoundLogs } from './find-logs.ts';
import type { LogFile } from './read-log-file.ts';
import { type FileOutcome, readSequentially, type ScanContext } from './store-writer.ts';

/** Less than this is read in the main thread, because a scan worker takes time to start. In bytes. */
const MIN_PARALLEL_BYTES = 48 * 2 ** 20;

/** A tool's usage: totals, and how they were counted. */
export type SourceScan = Readonly<ReturnType<typeof describe>>;

type Outcomes = ReadonlyMap<LogFile, FileOutcome>;

/**
 * Scans the logs into the store: reads new and changed files. Returns everything that was ever counted, too. `onProgress` receives the
 * bytes done so far, and all: those of a file that several sources read count once.
 */
export async function scanSources(
  found: readonly FoundLogs[],
  context: Omit<ScanContext, 'progress'>,
  onProgress: (done: number, all: number) => void,
): Promise<{ readonly scans: readonly SourceScan[]; readonly buckets: readonly Bucket[] }> {
  const files = found.flatMap((each) => each.files);
  const toRead = sumOfBytes(files);
  const all = sumOfBytes(new Map(files.map((file) => [file.path, file])).values());
  let done = 0;
  const progress = (bytes: number): void => {
    done = Math.min(toRead, done + bytes);
    if (toRead > 0) onProgress(Math.round((done / toRead) * all), all);
  };
  const outcomes = await scanFiles(files, { ...context, progress });
  const buckets = context.store.buckets();
  const present = new Set<number>();
  for (const outcome of outcomes.values()) if (outcome.kind !== 'unreadable') present.add(outcome.entry.id);
  const usage = usageByPlatform(buckets, present);
  const scans = found.map((each) => describe(each, outcomes, usage.get(each.source.platform) ?? emptyUsage()));
  return { scans, buckets };
}

/** Reads new and changed files into the store. */
export async function scanFiles(files: readonly LogFile[], context: ScanContext): Promise<Outcomes> {
  const outcomes = findKnown(files, context.store);
  context.progress(sumOfBytes(outcomes.keys()));
  const unread = files.filter((file) => !outcomes.has(file));
  const isParallel = context.isParallel && sumOfBytes(unread) >= MIN_PARALLEL_BYTES;
  const read = isParallel ? (await import('./read-in-worker.ts')).readInWorker : readSequentially;
  if (unread.length > 0) await read(unread, context, outcomes);
  return outcomes;
}

/** The outcomes for unchanged files, also for those that were counted by the rules of another version. */
function findKnown(files: readonly LogFile[], store: UsageStore): Map<LogFile, FileOutcome> {
  const outcomes = new Map<LogFile, FileOutcome>();
  for (const file of files) {
    const { source, path, fingerprint } = file;
    const entry = store.files.get(fileKey({ platform: source.platform, path }));
    if (entry?.fingerprint === fingerprint) outcomes.set(file, { kind: 'known', entry });
  }
  return outcomes;
}

function sumOfBytes(files: Iterable<LogFile>): number {
  let sum = 0;
  for (const { bytes } of files) sum += bytes;
  return sum;
}

function describe(
  { source, places, files, unreadable }: FoundLogs,
  outcomes: Outcomes,
  { totals, messages: all, kept, imported, placeholders, largest }: PlatformUsage,
) {
  const { platform, title } = source;
  const messages = all - imported;
  const skipped = skipCounts();
  const failed = [...unreadable];
  const sums = { files: 0, changed: 0, bytes: 0, records: 0 };
  for (const file of files) {
    const outcome = outcomes.get(file)!;
    if (outcome.kind === 'unreadable') {
      failed.push({ path: file.path, reason: outcome.reason });
      continue;
    }
    const { entry } = outcome;
    sums.files += 1;
    if (outcome.kind === 'read') sums.changed += 1;
    sums.bytes += entry.bytes;
    sums.records += entry.records;
    for (const reason of SKIP_REASONS) skipped[reason] += entry.skipped[reason];
  }
  return {
    platform,
    title,
    counting: imported > 0 ? 'derived' : source.counting,
    /** Everything ever counted, including usage whose logs were deleted. */
    totals,
    /** Distinct responses of a model. */
    messages,
    /** Messages whose logs were deleted. */
    kept,
    imported,
    /** Records that repeated a known message. */
    repeats: Math.max(0, sums.records - (messages - kept)),
    /** Messages with an input of 0 or 1 although other tokens were counted, which suggests a placeholder. */
    placeholders,
    /** The file with the most tokens, which may have been deleted; empty without one. */
    largest: largest.path,
    places,
    files: sums.files,
    /** Files that were read in this scan; the others are unchanged. */
    changed: sums.changed,
    bytes: sums.bytes,
    skipped,
    unreadable: failed,
  };
}
