import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import { readLedger } from '../ledger/ledger.ts';
import { hasTokens, joinWithLedger, type PlatformTotals } from '../ledger/platform-totals.ts';
import { reportScans, warningsOf } from '../output/scan-report.ts';
import type { Screen } from '../output/screen.ts';
import { scanSources } from '../scan/scan-sources.ts';
import type { Settings } from '../settings.ts';
import { VERSION } from '../version.ts';

/** The tool's main command: scan and show, then submit, or with `--dry-run` show what would be sent. */
export async function submitCommand(settings: Settings, env: Environment, screen: Screen): Promise<ExitName> {
  const scans = await scanSources(settings.sourceDirs, env);
  const platforms = joinWithLedger(scans, await readLedger(settings.configDir));
  reportScans(platforms, screen);
  const base = {
    version: VERSION,
    mode: settings.dryRun ? 'dry-run' : 'submit',
    base_url: settings.baseUrl,
    codename: settings.codename,
    platforms: platforms.map(describePlatform),
    warnings: warningsOf(platforms),
  };
  const wanted = platforms.filter(hasTokens);
  if (wanted.length === 0) {
    screen.say('\nNothing to submit: no token was counted.');
    screen.result({ ...base, requests: [], results: [] });
    return settings.dryRun ? 'ok' : 'nothing';
  }
  if (settings.dryRun) {
    const { showDryRun } = await import('./dry-run.ts');
    screen.result({ ...base, ...(await showDryRun(wanted, settings, screen)) });
    return 'ok';
  }
  const { sendSnapshots } = await import('./send-snapshots.ts');
  const { exit, results } = await sendSnapshots(wanted, settings, screen);
  screen.result({ ...base, results });
  return exit;
}

function describePlatform({ scan, totals, below }: PlatformTotals): unknown {
  const { totals: scanned, ...rest } = scan;
  return { ...rest, scanned, totals, below };
}
