import { SKIP_REASONS } from '../sources/source.ts';
import { type FileEntry, NOTHING_SKIPPED, skipCounts } from '../store/usage-store.ts';
import { addUpUsage, emptyUsage, type PlatformUsage, summarize, type UsageSummary } from '../store/usage-summary.ts';
import type { FoundLogs } from './find-logs.ts';
import type { LogFile } from './read-log-file.ts';
import { type FileOutcome, readSequentially, type ScanContext } from './store-writer.ts';

/** Less than this is read in the main thread, because scan workers take time to start. In bytes. */
const MIN_PARALLEL_BYTES = 48 * 2 ** 20;

/** A tool's usage: totals, and how they were counted. */
export type SourceScan = Readonly<ReturnType<typeof describe>>;

type Outcomes = ReadonlyMap<LogFile, FileOutcome>;

/**
 * Scans the logs into the store: reads new and changed files. `onProgress` receives the bytes done so far, and all: those of a
 * file that several sources read count once.
 */
export async function scanSources(
  found: readonly FoundLogs[],
  context: Omit<ScanContext, 'progress'>,
  onProgress: (done: number, all: number) => void,
): Promise<readonly SourceScan[]> {
  const files = found.flatMap((each) => each.files);
  const toRead = sumOfBytes(files);
  const all = sumOfBytes(new Map(files.map((file) => [file.path, file])).values());
  let done = 0;
  const progress = (bytes: number): void => {
    done = Math.min(toRead, done + bytes);
    if (toRead > 0) onProgress(Math.round((done / toRead) * all), all);
  };
  const outcomes = await scanFiles(files, { ...context, progress });
  return describeAll(found, outcomes, summarize(context.store));
}

/** The result of a scan without reading any log; null when a file is new or has changed. */
export function recallSources(found: readonly FoundLogs[], summary: UsageSummary): readonly SourceScan[] | null {
  const files = found.flatMap((each) => each.files);
  const outcomes = findKnown(files, summary.files);
  return outcomes.size < files.length ? null : describeAll(found, outcomes, summary);
}

/** Reads new and changed files into the store. */
export async function scanFiles(files: readonly LogFile[], context: ScanContext): Promise<Outcomes> {
  const outcomes = findKnown(files, context.store.files);
  context.progress(sumOfBytes(outcomes.keys()));
  const unread = files.filter((file) => !outcomes.has(file));
  const isParallel = context.workers > 1 && unread.length > 1 && sumOfBytes(unread) >= MIN_PARALLEL_BYTES;
  const read = isParallel ? (await import('./read-in-workers.ts')).readInWorkers : readSequentially;
  if (unread.length > 0) await read(unread, context, outcomes);
  return outcomes;
}

/** The outcomes for unchanged files. */
function findKnown(files: readonly LogFile[], known: readonly FileEntry[]): Map<LogFile, FileOutcome> {
  // By platform and path: joining both into keys would take longer than everything else here.
  const numbers = new Map<string, Map<string, number>>();
  for (const [number, { platform, path }] of known.entries()) {
    const ofPlatform = numbers.get(platform);
    if (ofPlatform === undefined) numbers.set(platform, new Map([[path, number]]));
    else ofPlatform.set(path, number);
  }
  const outcomes = new Map<LogFile, FileOutcome>();
  for (const file of files) {
    const { source, path, fingerprint } = file;
    const number = numbers.get(source.platform)?.get(path);
    const entry = number === undefined ? undefined : known[number];
    if (number === undefined || entry?.fingerprint !== fingerprint || entry.version !== source.version) continue;
    outcomes.set(file, { kind: 'known', number });
  }
  return outcomes;
}

function sumOfBytes(files: Iterable<LogFile>): number {
  let sum = 0;
  for (const { bytes } of files) sum += bytes;
  return sum;
}

function describeAll(found: readonly FoundLogs[], outcomes: Outcomes, summary: UsageSummary): readonly SourceScan[] {
  const present = new Set<number>();
  for (const outcome of outcomes.values()) if (outcome.kind !== 'unreadable') present.add(outcome.number);
  const usage = addUpUsage(summary, present);
  return found.map((each) => describe(each, outcomes, summary.files, usage.get(each.source.platform) ?? emptyUsage()));
}

function describe(
  { source, places, files, unreadable }: FoundLogs,
  outcomes: Outcomes,
  known: readonly FileEntry[],
  { totals, messages: all, kept, imported, placeholders, largest }: PlatformUsage,
) {
  const { platform, title, support } = source;
  const messages = all - imported;
  const skipped = skipCounts(() => 0);
  const failed = [...unreadable];
  const sums = { files: 0, changed: 0, bytes: 0, records: 0 };
  for (const file of files) {
    const outcome = outcomes.get(file)!;
    if (outcome.kind === 'unreadable') {
      failed.push({ path: file.path, reason: outcome.reason });
      continue;
    }
    const entry = known[outcome.number]!;
    sums.files += 1;
    if (outcome.kind === 'read') sums.changed += 1;
    sums.bytes += entry.bytes;
    sums.records += entry.records;
    if (entry.skipped === NOTHING_SKIPPED) continue;
    for (const reason of SKIP_REASONS) skipped[reason] += entry.skipped[reason];
  }
  return {
    platform,
    title,
    support,
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
