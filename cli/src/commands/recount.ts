import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { beginEpoch, nextEpoch, openLedger } from '../ledger/ledger.ts';
import { joinWithLedger } from '../ledger/platform-totals.ts';
import { reportScans, warningsOf } from '../output/scan-report.ts';
import { findLogs } from '../scan/find-logs.ts';
import { dropDamagedCopies, joinStores, openStore, openWhole } from '../store/open-store.ts';
import { emptyStore, fileKey } from '../store/usage-store.ts';
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
  const former = await (options.logsOnly === true ? openStore : openWhole)(configDir, ledger.epoch);
  const epoch = nextEpoch(ledger, former.store);
  const store = emptyStore(epoch);
  const found = await findLogs(settings, env);
  let scans = await scanWithProgress(found, screen, store);
  if (options.logsOnly !== true) {
    const present = new Set(store.files.map(fileKey));
    joinStores(store, former.store, (number) => !present.has(fileKey(former.store.files[number]!)));
    // Reads no unchanged file again: for the counts with what was kept.
    scans = await scanWithProgress(found, screen, store);
  }
  // Throws for totals that no snapshot can carry, before anything is written.
  const platforms = joinWithLedger(scans, null, { ...settings, codename: null });
  await beginEpoch(configDir, former, store);
  if (options.logsOnly === true) await dropDamagedCopies(configDir);
  const warnings = warningsOf(platforms);
  reportScans(platforms, warnings, screen, settings.sourceDirs.length > 0);
  screen.printWrapped(`\nRecounted: epoch ${epoch}. Nothing was sent. The next submission replaces the former totals.`);
  screen.result({ epoch, platforms: scans, warnings });
  return 'ok';
};
