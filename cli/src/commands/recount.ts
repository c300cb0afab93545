import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { beginEpoch, nextEpoch, openLedger } from '../ledger/ledger.ts';
import { joinWithLedger } from '../ledger/platform-totals.ts';
import { reportScans, warningsOf } from '../output/scan-report.ts';
import { type FoundLogs, findLogs } from '../scan/find-logs.ts';
import type { FileEntry } from '../store/buckets.ts';
import { dropDamagedCopies, withStore } from '../store/open-store.ts';
import { fileKey, type UsageStore } from '../store/usage-store.ts';
import { scanWithProgress } from './scan-usage.ts';

export interface RecountOptions {
  /** Drop usage whose logs were deleted. */
  readonly logsOnly?: boolean | undefined;
}

/**
 * Recounts all logs by the rules of this version and starts a new epoch: the service then drops the totals of former
 * epochs. Usage whose logs were deleted keeps its former counts, unless `logsOnly` drops it.
 */
export const recountCommand: Command<RecountOptions> = async ({ settings, env, screen, options }) => {
  if (settings.platforms.length > 0 || settings.dryRun) {
    throw new CliError(
      'usage',
      'usage',
      'recount always counts everything: --platform and --dry-run cannot be used with it',
    );
  }
  const { configDir } = settings;
  const ledger = await openLedger(configDir);
  const found = await findLogs(settings, env);
  const isLogsOnly = options.logsOnly === true;
  // With `logsOnly` the loss is accepted.
  const warn = isLogsOnly ? () => undefined : screen.warning;
  const use = { epoch: ledger.epoch, keep: true, isWhole: !isLogsOnly, isAtomic: true, warn };
  const { epoch, scans, platforms } = await withStore(configDir, use, async (store) => {
    const next = nextEpoch(ledger, store);
    store.epoch = next;
    store.forget(isLogsOnly ? 'all' : storedFiles(store, found));
    const scanned = await scanWithProgress(found, screen, store);
    // Throws for totals that no snapshot can carry, before anything is kept.
    const joined = joinWithLedger(scanned.scans, null, { ...settings, codename: null });
    return { epoch: next, scans: scanned.scans, platforms: joined };
  });
  await beginEpoch(configDir, epoch);
  if (isLogsOnly) await dropDamagedCopies(configDir);
  const warnings = warningsOf(platforms);
  reportScans(platforms, warnings, screen, settings.sourceDirs.length > 0);
  screen.printWrapped(`\nRecounted: epoch ${epoch}. Nothing was sent. The next submission replaces the former totals.`);
  screen.result({ epoch, platforms: scans, warnings });
  return 'ok';
};

/** The entries of these logs in the store. */
function storedFiles(store: UsageStore, found: readonly FoundLogs[]): readonly FileEntry[] {
  return found.flatMap(({ source: { platform }, files }) =>
    files.flatMap(({ path }) => store.files.get(fileKey({ platform, path })) ?? []),
  );
}
