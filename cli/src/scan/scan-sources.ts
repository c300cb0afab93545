import { SKIP_REASONS, type Unreadable } from '../sources/source.ts';
import { type FileEntry, fileNumbers, skipCounts, type UsageStore } from '../store/usage-store.ts';
import { summarize, type UsageSummary } from '../store/usage-summary.ts';
import type { FoundLogs } from './find-logs.ts';
import { addUpUsage, type PlatformUsage } from './platform-usage.ts';
import type { FileOutcome, ScanProgress } from './read-log-file.ts';
import { knownNumber, scanFiles } from './scan-files.ts';
import type { SourceScan } from './source-scan.ts';

export interface ScanOptions {
  readonly now: () => number;
  /** Maximum number of scan workers. */
  readonly workers: number;
  /** Receives the bytes done so far, and those of all files. */
  readonly onProgress?: ((done: number, all: number) => void | Promise<void>) | undefined;
}

/** Scans the logs into the store: reads new and changed files. */
export async function scanSources(
  found: readonly FoundLogs[],
  store: UsageStore,
  { now, workers, onProgress }: ScanOptions,
): Promise<readonly SourceScan[]> {
  const progress = startProgress(found, onProgress);
  const files = found.flatMap((each) => each.files);
  const outcomes = await scanFiles(files, { store, now, workers, progress });
  return describeAll(found, outcomes, summarize(store));
}

/** The result of a scan without reading any log; null when a file is new or has changed. */
export function recallSources(found: readonly FoundLogs[], summary: UsageSummary): readonly SourceScan[] | null {
  const numbers = fileNumbers(summary.files);
  const outcomes: FileOutcome[] = [];
  for (const { files } of found) {
    for (const file of files) {
      const number = knownNumber(summary.files, numbers, file);
      if (number === undefined) return null;
      outcomes.push({ kind: 'known', number });
    }
  }
  return describeAll(found, outcomes, summary);
}

/** Describes every source. `outcomes` are in the order of all files. */
function describeAll(
  found: readonly FoundLogs[],
  outcomes: readonly FileOutcome[],
  summary: UsageSummary,
): readonly SourceScan[] {
  const present = new Set(outcomes.flatMap((outcome) => (outcome.kind === 'unreadable' ? [] : [outcome.number])));
  const usage = addUpUsage(summary, present);
  let at = 0;
  return found.map((each) => {
    const own = outcomes.slice(at, (at += each.files.length));
    return describe(each, own, summary.files, usage.get(each.source.platform));
  });
}

function describe(
  { source, ...found }: FoundLogs,
  outcomes: readonly FileOutcome[],
  known: readonly FileEntry[],
  usage: PlatformUsage | undefined,
): SourceScan {
  const failed: Unreadable[] = [];
  const skipped = skipCounts(() => 0);
  const sums = { files: 0, changed: 0, bytes: 0, records: 0 };
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'unreadable') {
      failed.push({ path: found.files[index]!.path, reason: outcome.reason });
      continue;
    }
    const entry = known[outcome.number]!;
    sums.files += 1;
    if (outcome.kind === 'read') sums.changed += 1;
    sums.bytes += entry.bytes;
    sums.records += entry.records;
    for (const reason of SKIP_REASONS) skipped[reason] += entry.skipped[reason];
  }
  const messages = usage?.messages ?? 0;
  const kept = usage?.kept ?? 0;
  return {
    platform: source.platform,
    title: source.title,
    support: source.support,
    counting: source.counting,
    totals: usage?.totals ?? { input: 0, output: 0, cache_read: 0, cache_write: 0 },
    messages,
    kept,
    repeats: Math.max(0, sums.records - (messages - kept)),
    placeholders: usage?.placeholders ?? 0,
    places: found.places,
    files: sums.files,
    changed: sums.changed,
    bytes: sums.bytes,
    skipped,
    unreadable: [...found.unreadable, ...failed],
  };
}

function startProgress(found: readonly FoundLogs[], onProgress: ScanOptions['onProgress']): ScanProgress {
  if (onProgress === undefined) return { done: () => undefined };
  const all = found.reduce((sum, { files }) => sum + files.reduce((own, { bytes }) => own + bytes, 0), 0);
  let done = 0;
  return {
    done: (bytes) => {
      done += bytes;
      return onProgress(Math.min(done, all), all);
    },
  };
}
