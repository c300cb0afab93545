import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { nextEpoch, openLedger, updateLedger } from '../ledger/ledger.ts';
import { joinWithLedger } from '../ledger/platform-totals.ts';
import { reportScans, warningsOf } from '../output/scan-report.ts';
import { findLogs } from '../scan/find-logs.ts';
import { joinStores, openStore, requireWhole, saveStore } from '../store/open-store.ts';
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
  const former = await openStore(configDir, ledger.epoch);
  if (former.damaged !== null && options.logsOnly !== true) requireWhole(former);
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
  // Write the store first: a ledger of the new epoch with the old counts would submit them again.
  await saveStore(configDir, { ...former, store });
  await updateLedger(configDir, (known) => ({ ...known, epoch }));
  const warnings = warningsOf(platforms);
  reportScans(platforms, warnings, screen, settings.sourceDirs.length > 0);
  screen.printWrapped(`\nRecounted: epoch ${epoch}. Nothing was sent. The next submission replaces the former totals.`);
  screen.result({ epoch, platforms: scans, warnings });
  return 'ok';
};
