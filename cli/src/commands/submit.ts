import { CliError, failureResult } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { joinWithLedger } from '../ledger/platform-totals.ts';
import { countsTable } from '../output/counts-table.ts';
import { reportScans, warningsOf } from '../output/scan-report.ts';
import type { Screen } from '../output/screen.ts';
import { usageSince } from '../store/buckets.ts';
import { VERSION } from '../version.ts';
import { type ScannedUsage, scanUsage } from './scan-usage.ts';

/** The main command: scans and shows the counts, then submits them, or with `--dry-run` shows what would be sent. */
export const submitCommand: Command = async (context) => {
  const { settings, env, screen } = context;
  const { dryRun, baseUrl } = settings;
  const { findIdentity, offerPlan, sendSnapshots, showDryRun } = await import('./online.ts');
  const identity = await findIdentity(settings, env);
  const { codename } = identity;
  const scanned = await scanUsage(context, !dryRun);
  const platforms = joinWithLedger(scanned.scans, scanned.ledger, { baseUrl, codename });
  const warnings = (): readonly string[] => [...scanned.warnings, ...warningsOf(platforms)];
  reportScans(platforms, warnings(), screen, settings.sourceDirs.length > 0);
  const since = settings.since === null ? {} : { since: showSince(settings.since, scanned, screen) };
  const mode = dryRun ? 'dry-run' : 'submit';
  const described = platforms.map(({ scan, below }) => ({ ...scan, below }));
  const base = { version: VERSION, mode, base_url: baseUrl, codename, platforms: described, ...since };
  const counted = platforms.filter(({ totals }) => Object.values(totals).some((count) => count > 0));
  const submittable = { platforms: counted, identity, scanned };
  if (counted.length === 0) {
    screen.printWrapped('\nNothing to submit: no tokens were counted.');
    screen.result({ ...base, warnings: warnings(), requests: [], results: [] });
    return 'nothing';
  }
  if (dryRun) {
    const shown = await showDryRun(context, submittable);
    screen.result({ ...base, warnings: warnings(), ...shown });
    return 'ok';
  }
  try {
    const { exit, results } = await sendSnapshots(context, submittable);
    screen.result({ ...base, warnings: warnings(), results });
    return exit;
  } catch (error) {
    if (!(error instanceof CliError) || error.exit !== 'plan') throw error;
    screen.failure(error.message, error.hint);
    await offerPlan(context);
    screen.result(failureResult(error, screen.asRun));
    return 'plan';
  }
};

/** Shows the usage since a moment. For display only: submissions always carry all-time totals. */
function showSince(since: number, { buckets }: ScannedUsage, screen: Screen): object {
  const from = new Date(since * 1000).toISOString();
  const usage = usageSince(buckets, since);
  const rows = [...usage].map(([platform, totals]) => ({ platform, totals }));
  screen.print('');
  screen.print(countsTable(rows, screen.columns, screen.paint, `Since ${from.slice(0, 10)}`));
  return { from, platforms: Object.fromEntries(usage) };
}
