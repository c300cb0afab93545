import { stat } from 'node:fs/promises';
import { CliError, reasonOf } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import { sourcesOf } from '../sources/registry.ts';
import type { Source } from '../sources/source.ts';
import { skipCounts, type UsageStore } from '../store/usage-file.ts';
import { type FoundFiles, findFiles } from './find-files.ts';
import { addUpUsage, type PlatformUsage } from './platform-usage.ts';
import { type FileOutcome, type LookedAt, lookAt, type ScanProgress, scanFiles } from './scan-files.ts';
import type { SourceScan } from './source-scan.ts';

/** What to scan, and what to tell meanwhile. */
export interface ScanRequest {
  /** Folders to look in instead of each tool's own; empty = each tool's own. */
  readonly sourceDirs: readonly string[];
  /** The platforms to scan; empty = all. */
  readonly platforms: readonly string[];
  readonly env: Environment;
  readonly now: () => number;
  /** Threads to read with, where it is worth it. */
  readonly lanes: number;
  /** Is told of every file that is done: the bytes so far, and those of all files. */
  readonly onProgress?: ((done: number, all: number) => void | Promise<void>) | undefined;
}

/**
 * Scans every source into the store. A named folder that is none is a usage error: a typing mistake must not look like an
 * empty log.
 */
export async function scanSources(request: ScanRequest, store: UsageStore): Promise<readonly SourceScan[]> {
  for (const dir of request.sourceDirs) await requireFolder(dir);
  const found = sourcesOf(request.platforms).map((source) => {
    const places = request.sourceDirs.length > 0 ? request.sourceDirs : source.places(request.env);
    return lookAtAll(
      source,
      findFiles(places, (path) => source.isLog(path)),
    );
  });
  const { now, lanes } = request;
  const progress = startProgress(found, request.onProgress);
  const files = found.flatMap((each) => each.files);
  const outcomes = await scanFiles(files, { store, now, lanes, progress });
  const present = new Set(outcomes.flatMap((outcome) => (outcome.kind === 'unreadable' ? [] : [outcome.number])));
  const usage = addUpUsage(store, present);
  let at = 0;
  return found.map((each) => {
    const own = outcomes.slice(at, (at += each.files.length));
    return describe(each, own, store, usage.get(each.source.platform));
  });
}

/** What was found of a source. */
interface Found extends Omit<FoundFiles, 'files'> {
  readonly source: Source;
  readonly files: readonly LookedAt[];
}

/** Looks at what was found; files that are gone by now are no news, and those that cannot be looked at are told. */
function lookAtAll(source: Source, { places, files, unreadable }: FoundFiles): Found {
  const looked: LookedAt[] = [];
  const hidden = [...unreadable];
  for (const path of files) {
    try {
      const file = lookAt(source, path);
      if (file !== null) looked.push(file);
    } catch (error) {
      hidden.push({ path, reason: reasonOf(error) });
    }
  }
  return { source, places, files: looked, unreadable: hidden };
}

function describe(
  { source, ...found }: Found,
  outcomes: readonly FileOutcome[],
  store: UsageStore,
  usage: PlatformUsage | undefined,
): SourceScan {
  const entries = outcomes.flatMap((outcome) => (outcome.kind === 'unreadable' ? [] : [store.files[outcome.number]!]));
  const failed = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'unreadable' ? [{ path: found.files[index]!.path, reason: outcome.reason }] : [],
  );
  const sum = (of: (entry: (typeof entries)[number]) => number): number =>
    entries.reduce((total, entry) => total + of(entry), 0);
  const messages = usage?.messages ?? 0;
  const kept = usage?.kept ?? 0;
  return {
    platform: source.platform,
    title: source.title,
    standing: source.standing,
    counting: source.counting,
    totals: usage?.totals ?? { input: 0, output: 0, cache_read: 0, cache_write: 0 },
    messages,
    kept,
    repeats: Math.max(0, sum((entry) => entry.records) - (messages - kept)),
    placeholders: usage?.placeholders ?? 0,
    places: found.places,
    files: entries.length,
    changed: outcomes.filter(({ kind }) => kind === 'read').length,
    bytes: sum((entry) => entry.bytes),
    skipped: skipCounts((reason) => sum((entry) => entry.skipped[reason])),
    unreadable: [...found.unreadable, ...failed],
  };
}

function startProgress(found: readonly Found[], onProgress: ScanRequest['onProgress']): ScanProgress {
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

async function requireFolder(dir: string): Promise<void> {
  let reason = 'it is not a folder';
  try {
    if ((await stat(dir)).isDirectory()) return;
  } catch (error) {
    reason = reasonOf(error) === 'ENOENT' ? 'there is no such folder' : reasonOf(error);
  }
  const hint = "Name a folder that holds logs, or leave --source-dir out to look in each tool's own places.";
  throw new CliError('usage', 'source_dir_invalid', `--source-dir ${dir}: ${reason}`, hint);
}
