import { availableParallelism } from 'node:os';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { COUNT_FIELDS } from '../../../engine/contract/signing/index.ts';
import type { CommandContext } from '../command-context.ts';
import { readLedger } from '../ledger/ledger.ts';
import { openProgressBar } from '../output/progress-bar.ts';
import { grouped, type Screen, sizeText } from '../output/screen.ts';
import { type FoundLogs, findLogs } from '../scan/find-logs.ts';
import { type SourceScan, scanSources } from '../scan/scan-sources.ts';
import type { FileEntry } from '../store/buckets.ts';
import { type StoreUse, withStore } from '../store/open-store.ts';
import { fileKey, type UsageStore } from '../store/usage-store.ts';

/** How long files are read before the event loop gets a turn, in milliseconds: for signals, and requests to the MCP server. */
const MAX_SLICE_MS = 50;

/** The result of a scan, merged with everything counted before. */
export type ScannedUsage = Readonly<Awaited<ReturnType<typeof scanUsage>>>;

/** Scans the sources that the settings select. `keep` as in `StoreUse`. */
export async function scanUsage({ settings, env, screen }: Omit<CommandContext, 'options'>, keep: StoreUse['keep']) {
  const { configDir } = settings;
  const ledger = await readLedger(configDir);
  const found = await findLogs(settings, env);
  /** Problems with the tool's own files, and what this version counts differently, as sentences. */
  const warnings: string[] = [];
  const use = { epoch: ledger?.epoch ?? 0, keep, warn: (text: string) => void warnings.push(text) };
  const counted = await withStore(configDir, use, async (store) => {
    const scanned = await scanWithProgress(found, screen, store);
    const former = found.filter((logs) =>
      storedFiles(store, logs).some(({ version }) => version !== logs.source.version),
    );
    // Views do not wait for it.
    if (former.length > 0 && keep !== 'where writable') {
      const recounted = await withStore(configDir, { ...use, keep: false, warn: () => undefined }, (copy) =>
        recount(former, screen, copy),
      );
      warnings.push(...compareRules(former, scanned.scans, recounted, store));
    }
    return { ...scanned, epoch: store.epoch };
  });
  return {
    ...counted,
    /** Null: this settings folder has no ledger yet. */
    ledger,
    warnings,
  };
}

/** Scans into a store. Shows a progress bar when it takes long. */
export async function scanWithProgress(found: readonly FoundLogs[], screen: Screen, store: UsageStore) {
  const bar = openProgressBar(screen, 'Scanning', Date.now);
  let sliceStartedAt = Date.now();
  const giveTurn = (): void | Promise<void> => {
    if (Date.now() - sliceStartedAt < MAX_SLICE_MS) return;
    sliceStartedAt = Date.now();
    return nextLoopTurn();
  };
  const isParallel = availableParallelism() > 1;
  const scanned = await scanSources(found, { store, now: Date.now, isParallel, giveTurn }, (done, all) =>
    bar.show(done, all, `of ${sizeText(all)}`),
  );
  bar.end();
  return scanned;
}

/** Counts logs again in a store, which keeps the counts of deleted ones. */
export async function recount(found: readonly FoundLogs[], screen: Screen, store: UsageStore) {
  store.forget(found.flatMap((logs) => storedFiles(store, logs)));
  return (await scanWithProgress(found, screen, store)).scans;
}

/**
 * Compares the totals of sources with those of a recount, as sentences. Where they are equal, the logs count as read by the rules of
 * this version, so that they are compared once.
 */
function compareRules(
  found: readonly FoundLogs[],
  scans: readonly SourceScan[],
  recounted: readonly SourceScan[],
  store: UsageStore,
): readonly string[] {
  return found.flatMap((logs, index) => {
    const { platform, title, version } = logs.source;
    const before = scans.find((scan) => scan.platform === platform)!.totals;
    const after = recounted[index]!.totals;
    const changes = COUNT_FIELDS.filter((field) => after[field] !== before[field]).map(
      (field) => `${field} ${grouped(after[field])} instead of ${grouped(before[field])}`,
    );
    if (changes.length === 0) {
      for (const file of storedFiles(store, logs)) store.enter({ ...file, version });
      return [];
    }
    return [
      `this version counts logs of ${title} differently: ${changes.join(', ')}. New and changed logs are counted so; ` +
        'to count all of them so and replace the totals at the service: upsilon recount',
    ];
  });
}

/** The entries of the logs of a source in the store. */
function storedFiles(store: UsageStore, { source: { platform }, files }: FoundLogs): readonly FileEntry[] {
  return files.flatMap(({ path }) => store.files.get(fileKey({ platform, path })) ?? []);
}
