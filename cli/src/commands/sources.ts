import type { Command } from '../command-context.ts';
import { joinWithLedger } from '../ledger/platform-totals.ts';
import { reportScans, warningsOf } from '../output/scan-report.ts';
import { grouped, plural, type Screen } from '../output/screen.ts';
import type { SourceScan } from '../scan/scan-sources.ts';
import { sourcesOf, UNRANKABLE } from '../sources/registry.ts';
import { VERSION } from '../version.ts';
import { scanUsage } from './scan-usage.ts';

/** Shows what was found where and how it is counted. Scans and saves the counts; sends nothing. */
export const sourcesCommand: Command = async (context) => {
  const { settings, screen } = context;
  const startedAt = Date.now();
  const scanned = await scanUsage(context, true);
  const milliseconds = Date.now() - startedAt;
  const platforms = joinWithLedger(scanned.scans, scanned.ledger, { ...settings, codename: null });
  const warnings = [...scanned.warnings, ...warningsOf(platforms)];
  reportScans(platforms, warnings, screen, settings.sourceDirs.length > 0);
  const known = [];
  for (const source of sourcesOf(settings.platforms)) {
    const scan = scanned.scans.find(({ platform }) => platform === source.platform);
    if (scan === undefined) continue;
    known.push({ mapping: source.mapping, ...scan });
    showSource(scan, source.mapping, screen);
  }
  screen.print(`\n${screen.paint.bold('Cannot be ranked')}`);
  for (const { title, reason } of UNRANKABLE) screen.printWrapped(`${title}: ${reason}.`);
  screen.result({ version: VERSION, milliseconds, sources: known, unrankable: UNRANKABLE, warnings });
  return 'ok';
};

function showSource(scan: SourceScan, mapping: string, screen: Screen): void {
  const { bold, dim } = screen.paint;
  const found = scan.places.filter((place) => place.found);
  screen.print(`\n${bold(`${scan.title} (${scan.platform})`)}`);
  screen.printWrapped(`${scan.support}, ${scan.counting}: ${mapping}`);
  if (found.length === 0) return screen.print(dim('not found'));
  for (const { path } of found) screen.print(dim(path));
  const megabytes = grouped(Math.round(scan.bytes / 2 ** 20));
  screen.print(dim(`${plural(scan.files, 'file')}, ${megabytes} MB, ${grouped(scan.changed)} read now`));
}
