import type { PlatformTotals } from '../ledger/platform-totals.ts';
import { printable } from '../net/problem.ts';
import type { SourceScan } from '../scan/source-scan.ts';
import { SKIP_REASONS, type SkipReason } from '../sources/source.ts';
import { type CountsRow, countsTable } from './counts-table.ts';
import { grouped, plural } from './numbers.ts';
import type { Screen } from './screen.ts';

/** Unreadable paths that are named; the rest are counted. */
const MAX_NAMED_PATHS = 5;

/** Places of a tool that are named when nothing was found at all. */
const MAX_NAMED_PLACES = 4;

/** Fewer messages than this are too few to call their input suspicious. */
const MIN_MESSAGES_TO_JUDGE = 10;

const SKIP_TEXTS: Readonly<Record<SkipReason, string>> = {
  not_json: 'no JSON record',
  truncated: 'cut off at the end of a file',
  too_long: 'too long to load',
  invalid_counts: 'impossible counts',
  no_identity: 'no id to tell repeats by',
  synthetic: 'written by the tool itself, not by a model',
};

/**
 * Shows the table, how it was counted, and everything that speaks against trusting it. Where folders were named, tools that
 * found nothing in other tools' files are left out.
 */
export function reportScans(
  platforms: readonly PlatformTotals[],
  warnings: readonly string[],
  screen: Screen,
  areFoldersNamed: boolean,
): void {
  const found = platforms.filter(isKnown);
  const counted = found.filter(({ scan }) => scan.messages > 0);
  const known = areFoldersNamed && counted.length > 0 ? counted : found;
  if (known.length === 0) {
    screen.say(nothingFoundText(platforms));
  } else {
    screen.print(countsTable(known.map(rowOf), screen.columns, screen.paint));
    screen.print('');
    for (const { scan } of known) screen.say(countedText(scan));
  }
  for (const warning of warnings) screen.warning(warning);
}

/** Whether there is anything to tell of a platform: most people use two or three of all that are known. */
function isKnown({ scan }: PlatformTotals): boolean {
  return scan.files > 0 || scan.messages > 0 || scan.unreadable.length > 0;
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
  return scan.messages >= MIN_MESSAGES_TO_JUDGE && scan.placeholders * 2 > scan.messages;
}

function rowOf({ scan, totals }: PlatformTotals): CountsRow {
  return { platform: scan.platform, totals };
}

function nothingFoundText(platforms: readonly PlatformTotals[]): string {
  const places = platforms.flatMap(({ scan }) =>
    scan.places.slice(0, MAX_NAMED_PLACES).map(({ path, found }) => `\n  ${path}${found ? ' (no logs in it)' : ''}`),
  );
  return `No logs found. Looked in:${[...new Set(places)].join('')}`;
}

function countedText(scan: SourceScan): string {
  const repeats = scan.repeats === 0 ? '' : `; ${plural(scan.repeats, 'repeated record')} merged`;
  const kept = scan.kept === 0 ? '' : `; ${grouped(scan.kept)} of them kept from logs that are gone`;
  const standing = scan.standing === 'experimental' ? ' (experimental)' : '';
  const counted =
    `${scan.title}${standing}: ${plural(scan.messages, 'message')} in ` +
    `${plural(scan.files, 'file')}${repeats}${kept}.`;
  const left = SKIP_REASONS.filter((reason) => scan.skipped[reason] > 0);
  if (left.length === 0) return counted;
  const lines = left.reduce((sum, reason) => sum + scan.skipped[reason], 0);
  const reasons = left.map((reason) => {
    const own = left.length === 1 ? '' : ` (${grouped(scan.skipped[reason])})`;
    return `${SKIP_TEXTS[reason]}${own}`;
  });
  return `${counted} Left out ${plural(lines, 'record')}: ${reasons.join(', ')}.`;
}

function unreadableText(scan: SourceScan): readonly string[] {
  if (scan.unreadable.length === 0) return [];
  const named = scan.unreadable
    .slice(0, MAX_NAMED_PATHS)
    .map(({ path, reason }) => `\n  ${printable(path)} (${reason})`);
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
    `less is known of ${scan.title} now than was submitted before (${below.join(', ')}): a file of the settings folder was ` +
    'lost or replaced. The service keeps the higher totals, and new usage shows only above them. ' +
    'To start anew from what is known here, run: upsilon recount'
  );
}
