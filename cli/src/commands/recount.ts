import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { beginEpoch, nextEpoch, openLedger } from '../ledger/ledger.ts';
import { joinWithLedger } from '../ledger/platform-totals.ts';
import { reportScans, warningsOf } from '../output/scan-report.ts';
import { findLogs } from '../scan/find-logs.ts';
import { dropDamagedCopies, withStore } from '../store/open-store.ts';
import { recount } from './scan-usage.ts';

export interface RecountOptions {
  /** Drop usage whose logs were deleted. */
  readonly logsOnly?: boolean | undefined;
}

/**
 * Recounts all logs by the rules of this version in a new epoch, for which the service drops the totals of former ones. Usage
 * whose logs were deleted keeps its former counts, unless `logsOnly` drops it.
 */
export const recountCommand: Command<RecountOptions> = async ({ settings, env, screen, options }) => {
  if (settings.platforms.length > 0 || settings.dryRun) {
    const message = 'recount always counts everything: --platform and --dry-run cannot be used with it';
    throw new CliError('usage', 'usage', message);
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
    if (isLogsOnly) store.forget('all');
    const counted = await recount(found, screen, store);
    // Throws for totals that no snapshot can carry, before anything is kept.
    const joined = joinWithLedger(counted, null, { ...settings, codename: null });
    return { epoch: next, scans: counted, platforms: joined };
  });
  await beginEpoch(configDir, epoch);
  if (isLogsOnly) await dropDamagedCopies(configDir);
  const warnings = warningsOf(platforms);
  reportScans(platforms, warnings, { ...screen, detail: screen.printWrapped }, settings.sourceDirs.length > 0);
  screen.printWrapped(`\nRecounted: epoch ${epoch}. Nothing was sent. The next submission replaces the former totals.`);
  screen.result({ epoch, platforms: scans, warnings });
  return 'ok';
};
