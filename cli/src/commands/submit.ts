import { CliError, failureResult } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import { hasTokens, joinWithLedger, type PlatformTotals } from '../ledger/platform-totals.ts';
import { countsTable } from '../output/counts-table.ts';
import { reportScans, warningsOf } from '../output/scan-report.ts';
import type { Screen } from '../output/screen.ts';
import { usageSince } from '../scan/platform-usage.ts';
import type { Settings } from '../settings.ts';
import { VERSION } from '../version.ts';
import { type ScannedUsage, scanUsage } from './scan-usage.ts';

/** The main command: scans and shows the counts, then submits them, or with `--dry-run` shows what would be sent. */
export async function submitCommand(settings: Settings, env: Environment, screen: Screen): Promise<ExitName> {
  const { findIdentity } = await import('./online.ts');
  const identity = await findIdentity(settings, env);
  const destination = { baseUrl: settings.baseUrl, codename: identity.codename };
  const scanned = await scanUsage(settings, env, screen, !settings.dryRun);
  const platforms = joinWithLedger(scanned.scans, scanned.ledger, destination);
  const warnings = (): readonly string[] => [...scanned.warnings, ...warningsOf(platforms)];
  reportScans(platforms, warnings(), screen, settings.sourceDirs.length > 0);
  const since = await showSince(settings, scanned, screen);
  const base = {
    version: VERSION,
    mode: settings.dryRun ? 'dry-run' : 'submit',
    base_url: settings.baseUrl,
    codename: identity.codename,
    platforms: platforms.map(describePlatform),
    ...(since === null ? {} : { since }),
  };
  const submittable = platforms.filter(hasTokens);
  if (submittable.length === 0) {
    screen.printWrapped('\nNothing to submit: no tokens were counted.');
    screen.result({ ...base, warnings: warnings(), requests: [], results: [] });
    return settings.dryRun ? 'ok' : 'nothing';
  }
  if (settings.dryRun) {
    const { showDryRun } = await import('./online.ts');
    const shown = await showDryRun({ platforms: submittable, settings, identity, scanned }, screen);
    screen.result({ ...base, warnings: warnings(), ...shown });
    return 'ok';
  }
  const { sendSnapshots } = await import('./online.ts');
  try {
    const { exit, results } = await sendSnapshots({ platforms: submittable, settings, identity, scanned, env }, screen);
    screen.result({ ...base, warnings: warnings(), results });
    return exit;
  } catch (error) {
    if (!(error instanceof CliError) || error.exit !== 'plan') throw error;
    const { offerPlan } = await import('./online.ts');
    screen.failure(error.message, error.hint);
    await offerPlan(settings, env, screen);
    screen.result(failureResult(error));
    return 'plan';
  }
}

/** Shows the usage since `--since`. For display only: submissions always carry all-time totals. */
async function showSince(settings: Settings, scanned: ScannedUsage, screen: Screen): Promise<object | null> {
  if (settings.since === null) return null;
  const day = new Date(settings.since * 1000).toISOString().slice(0, 10);
  const usage = usageSince(await scanned.openUsages(), settings.since);
  const rows = [...usage].map(([platform, totals]) => ({ platform, totals }));
  screen.print('');
  screen.print(countsTable(rows, screen.columns, screen.paint, `Since ${day}`));
  return {
    from: new Date(settings.since * 1000).toISOString(),
    platforms: Object.fromEntries(usage),
  };
}

/** A platform as `--json` prints it. */
export function describePlatform({ scan, below }: PlatformTotals): object {
  return { ...scan, below };
}
