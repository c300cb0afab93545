import { availableParallelism } from 'node:os';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import type { CommandContext } from '../command-context.ts';
import { readLedger } from '../ledger/ledger.ts';
import { openProgressBar } from '../output/progress-bar.ts';
import { type Screen, sizeText } from '../output/screen.ts';
import { type FoundLogs, findLogs } from '../scan/find-logs.ts';
import { recallSources, type SourceScan, scanSources } from '../scan/scan-sources.ts';
import { openStore, saveIfWritable, saveStore } from '../store/open-store.ts';
import { bucketsOf } from '../store/time-buckets.ts';
import { usagePath } from '../store/usage-file.ts';
import { readSummary } from '../store/usage-head.ts';
import type { UsageStore } from '../store/usage-store.ts';

/** How long files are read before the event loop gets a turn, in milliseconds: for signals, and requests to the MCP server. */
const MAX_SLICE_MS = 50;

/** Each scan worker takes about 15 MB, and a scan of 2 GB of logs must stay under 150 MB. */
const MAX_SCAN_WORKERS = 2;

/** The result of a scan, merged with everything counted before. */
export type ScannedUsage = Readonly<Awaited<ReturnType<typeof scanUsage>>>;

/**
 * Scans the sources that the settings select. `keep`: save the counts, which a dry run does not; a command that only shows them does
 * where it can.
 */
export async function scanUsage(
  { settings, env, screen }: Omit<CommandContext, 'options'>,
  keep: boolean | 'where writable',
) {
  const { configDir, since } = settings;
  const ledger = await readLedger(configDir);
  const found = await findLogs(settings, env);
  /** Problems with the tool's own files, as sentences. Grows when the store is opened later and turns out to be damaged. */
  const warnings: string[] = [];
  const scanInto = async (): Promise<{ readonly scans: readonly SourceScan[]; readonly store: UsageStore }> => {
    const opened = await openStore(configDir, ledger?.epoch ?? 0);
    if (opened.damaged !== null) warnings.push(damageText(opened.damaged));
    const scans = await scanWithProgress(found, screen, opened.store);
    const isChanged = opened.checksum === null ? opened.store.files.length > 0 : scans.some((scan) => scan.changed > 0);
    if (keep === true && isChanged) await saveStore(configDir, opened);
    const unkept = keep === 'where writable' && isChanged ? await saveIfWritable(configDir, opened) : null;
    if (unkept !== null) warnings.push(unkept);
    return { scans, store: opened.store };
  };
  const summary = since === null ? readSummary(usagePath(configDir)) : null;
  const recalled = summary === null ? null : recallSources(found, summary);
  const now = recalled === null ? await scanInto() : null;
  let late: Promise<UsageStore> | null = null;
  const openLate = async (): Promise<UsageStore> => {
    const { store } = await scanInto();
    for (const warning of warnings) screen.warning(warning);
    return store;
  };
  return {
    scans: now?.scans ?? recalled ?? [],
    /** Null: this settings folder has no ledger yet. */
    ledger,
    warnings,
    /** The epoch of the store: lower than the ledger's where an older backup of the store was restored. */
    epoch: now?.store.epoch ?? summary!.epoch,
    /** All usages. Opens the store at the first call, if the summary of its head was enough until then. */
    openUsages: async () => now?.store ?? (await (late ??= openLate())),
    /** The sums of all usages by time and origin. */
    openBuckets: () => (now === null ? summary!.buckets : bucketsOf(now.store)),
  };
}

/** Scans into a store. Shows a progress bar when it takes long. */
export async function scanWithProgress(
  found: readonly FoundLogs[],
  screen: Screen,
  store: UsageStore,
): Promise<readonly SourceScan[]> {
  const bar = openProgressBar(screen, 'Scanning', Date.now);
  let sliceStartedAt = Date.now();
  const giveTurn = (): void | Promise<void> => {
    if (Date.now() - sliceStartedAt < MAX_SLICE_MS) return;
    sliceStartedAt = Date.now();
    return nextLoopTurn();
  };
  const workers = Math.min(MAX_SCAN_WORKERS, availableParallelism());
  const scans = await scanSources(found, { store, now: Date.now, workers, giveTurn }, (done, all) =>
    bar.show(done, all, `of ${sizeText(all)}`),
  );
  bar.end();
  return scans;
}

/** The warning about a damaged store. */
export function damageText(path: string): string {
  return (
    `${path} was damaged, so everything was counted again from the remaining logs. Usage whose logs were deleted is missing. ` +
    'No new epoch begins before you restore the file or accept the loss: upsilon recount shows how.'
  );
}
