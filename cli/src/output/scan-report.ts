import type { PlatformTotals } from '../ledger/platform-totals.ts';
import { SKIP_REASONS, type SkipReason, type SourceScan } from '../sources/source.ts';
import { type CountsRow, countsTable } from './counts-table.ts';
import { grouped, plural } from './numbers.ts';
import type { Screen } from './screen.ts';

/** Unreadable paths that are named; the rest are counted. */
const MAX_NAMED_PATHS = 5;

/** Fewer messages than this are too few to call their input suspicious. */
const LEAST_MESSAGES_TO_JUDGE = 10;

const SKIP_TEXTS: Readonly<Record<SkipReason, string>> = {
  not_json: 'no JSON record',
  truncated: 'cut off at the end of a file',
  too_long: 'too long to load',
  invalid_counts: 'impossible counts',
  no_identity: 'no id to tell repeats by',
  synthetic: 'written by the tool itself, not by a model',
};

/** Shows the table, how it was counted, and everything that speaks against trusting it. */
export function reportScans(platforms: readonly PlatformTotals[], screen: Screen): void {
  screen.print(countsTable(platforms.flatMap(rowsOf), screen.columns, screen.paint));
  screen.print('');
  for (const { scan } of platforms) screen.say(countedText(scan));
  for (const warning of warningsOf(platforms)) screen.warning(warning);
}

/** The plain warnings about some scans, for people and for `--json` alike. */
export function warningsOf(platforms: readonly PlatformTotals[]): readonly string[] {
  return platforms.flatMap(({ scan, below }) => [
    ...unreadableText(scan),
    ...(isSuspicious(scan) ? [suspiciousText(scan)] : []),
    ...(below.length > 0 ? [belowText(scan, below)] : []),
  ]);
}

/** Whether most messages carry an input count that looks like a placeholder. */
function isSuspicious(scan: SourceScan): boolean {
  return scan.messages >= LEAST_MESSAGES_TO_JUDGE && scan.placeholders * 2 > scan.messages;
}

function rowsOf({ scan, totals, below }: PlatformTotals): readonly CountsRow[] {
  const row = { platform: scan.platform, totals };
  return below.length === 0 ? [row] : [row, { platform: '  in logs now', totals: scan.totals }];
}

function countedText(scan: SourceScan): string {
  if (scan.files === 0) {
    const places = scan.places.map((place) => `\n  ${place.path}${place.found ? ' (no logs in it)' : ''}`).join('');
    return `No logs of ${scan.title} found. Looked in:${places}`;
  }
  const repeats = scan.repeats === 0 ? '' : `; ${plural(scan.repeats, 'repeated line')} merged`;
  const counted = `${scan.title}: ${plural(scan.messages, 'message')} in ${plural(scan.files, 'file')}${repeats}.`;
  const left = SKIP_REASONS.filter((reason) => scan.skipped[reason] > 0);
  if (left.length === 0) return counted;
  const lines = left.reduce((sum, reason) => sum + scan.skipped[reason], 0);
  const reasons = left.map((reason) => {
    const own = left.length === 1 ? '' : ` (${grouped(scan.skipped[reason])})`;
    return `${SKIP_TEXTS[reason]}${own}`;
  });
  return `${counted} Left out ${plural(lines, 'line')}: ${reasons.join(', ')}.`;
}

function unreadableText(scan: SourceScan): readonly string[] {
  if (scan.unreadable.length === 0) return [];
  const named = scan.unreadable.slice(0, MAX_NAMED_PATHS).map(({ path, reason }) => `\n  ${path} (${reason})`);
  const more = scan.unreadable.length - named.length;
  const rest = more > 0 ? `\n  and ${grouped(more)} more` : '';
  return [`not everything could be read, so the counts may be too low:${named.join('')}${rest}`];
}

function suspiciousText(scan: SourceScan): string {
  return (
    `${grouped(scan.placeholders)} of ${plural(scan.messages, 'message')} of ${scan.title} claim 0 or 1 input tokens. ` +
    'Some versions of the tool write such placeholders instead of the true count. Input is then counted too low, ' +
    'and Yield comes out far too high. Nothing is estimated in their place.'
  );
}

function belowText(scan: SourceScan, below: readonly string[]): string {
  return (
    `the logs of ${scan.title} now show less than was submitted before (${below.join(', ')}). ` +
    'Old logs are deleted by the tool after a while; the higher totals are kept and sent.'
  );
}
