import { availableParallelism } from 'node:os';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import type { CommandContext } from '../command-context.ts';
import { readLedger } from '../ledger/ledger.ts';
import { openProgressBar } from '../output/progress-bar.ts';
import { type Screen, sizeText } from '../output/screen.ts';
import { type FoundLogs, findLogs } from '../scan/find-logs.ts';
import { scanSources } from '../scan/scan-sources.ts';
import { type StoreUse, withStore } from '../store/open-store.ts';
import type { UsageStore } from '../store/usage-store.ts';

/** How long files are read before the event loop gets a turn, in milliseconds: for signals, and requests to the MCP server. */
const MAX_SLICE_MS = 50;

/** The result of a scan, merged with everything counted before. */
export type ScannedUsage = Readonly<Awaited<ReturnType<typeof scanUsage>>>;

/** Scans the sources that the settings select. `keep` as in `StoreUse`. */
export async function scanUsage({ settings, env, screen }: Omit<CommandContext, 'options'>, keep: StoreUse['keep']) {
  const { configDir } = settings;
  const ledger = await readLedger(configDir);
  const found = await findLogs(settings, env);
  /** Problems with the tool's own files, as sentences. */
  const warnings: string[] = [];
  const use = { epoch: ledger?.epoch ?? 0, keep, warn: (text: string) => void warnings.push(text) };
  const counted = await withStore(configDir, use, async (store) => {
    return { ...(await scanWithProgress(found, screen, store)), epoch: store.epoch };
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
