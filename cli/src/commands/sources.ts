import type { Command } from '../command-context.ts';
import { joinWithLedger } from '../ledger/platform-totals.ts';
import { reportScans, warningsOf } from '../output/scan-report.ts';
import { grouped, plural, type Screen, sizeText } from '../output/screen.ts';
import type { SourceScan } from '../scan/scan-sources.ts';
import { sourcesOf, UNRANKABLE } from '../sources/registry.ts';
import { VERSION } from '../version.ts';
import { scanUsage } from './scan-usage.ts';

/** Shows what was found where, and how it is counted. Sends nothing. */
export const sourcesCommand: Command = async (context) => {
  const { settings, screen } = context;
  const startedAt = Date.now();
  const scanned = await scanUsage(context, 'where writable');
  const milliseconds = Date.now() - startedAt;
  const platforms = joinWithLedger(scanned.scans, scanned.ledger, { ...settings, codename: null });
  const warnings = [...scanned.warnings, ...warningsOf(platforms)];
  // What files held is no bookkeeping here.
  reportScans(platforms, warnings, { ...screen, detail: screen.printWrapped }, settings.sourceDirs.length > 0);
  const known = [];
  const absent: string[] = [];
  for (const source of sourcesOf(settings.platforms)) {
    const scan = scanned.scans.find(({ platform }) => platform === source.platform);
    if (scan === undefined) continue;
    known.push({ mapping: source.mapping, ...scan });
    const isShown = settings.platforms.length > 0 || scan.places.some((place) => place.found);
    if (isShown) showSource(scan, source.mapping, screen);
    else absent.push(scan.title);
  }
  if (absent.length > 0) {
    screen.print(`\n${screen.paint.bold('Not found')}`);
    screen.printWrapped(`${absent.join(', ')}. For one of them: upsilon sources --platform NAME`);
  }
  screen.print(`\n${screen.paint.bold('Not counted')}`);
  for (const { title, reason, checked } of UNRANKABLE) screen.printWrapped(`${title}: ${reason} (as of ${checked}).`);
  screen.result({ version: VERSION, milliseconds, sources: known, unrankable: UNRANKABLE, warnings });
  return 'ok';
};

function showSource(scan: SourceScan, mapping: string, screen: Screen): void {
  const { bold, dim } = screen.paint;
  const found = scan.places.filter((place) => place.found);
  screen.print(`\n${bold(`${scan.title} (${scan.platform})`)}`);
  screen.printWrapped(`${scan.counting}: ${mapping}`);
  if (found.length === 0) return screen.print(dim(`not found: ${scan.places.map(({ path }) => path).join(', ')}`));
  for (const { path } of found) screen.print(dim(path));
  screen.print(dim(`${plural(scan.files, 'file')}, ${sizeText(scan.bytes)}, ${grouped(scan.changed)} read now`));
}
