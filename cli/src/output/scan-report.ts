import { reasonText } from '../cli-error.ts';
import type { PlatformTotals } from '../ledger/platform-totals.ts';
import { printable } from '../net/problem.ts';
import type { SourceScan } from '../scan/scan-sources.ts';
import { SKIP_REASONS, type SkipReason } from '../sources/source.ts';
import { countsTable } from './counts-table.ts';
import { grouped, plural, type Screen } from './screen.ts';

/** Unreadable paths that are shown; the rest are counted. */
const MAX_SHOWN_PATHS = 5;

/** Places that are shown when nothing was found; those of the most used tools come first. */
const MAX_SHOWN_PLACES = 8;

/** The least number of messages for calling their input suspicious. */
const MIN_MESSAGES_FOR_WARNING = 10;

const SKIP_TEXTS: Readonly<Record<Exclude<SkipReason, 'unknown_type'>, string>> = {
  not_json: 'not valid JSON',
  truncated: 'cut off at the end of a file',
  too_long: 'too long to load',
  invalid_counts: 'with impossible counts',
  no_identity: 'without an id to recognize repeats by',
  synthetic: 'written by the tool itself, not by a model',
};

/** With `--source-dir`, omits tools that counted nothing in other tools' files. What files held is bookkeeping. */
export function reportScans(
  platforms: readonly PlatformTotals[],
  warnings: readonly string[],
  screen: Screen,
  hasSourceDirs: boolean,
): void {
  // Most people use two or three of the tools.
  const found = platforms.filter(
    ({ scan }) => scan.files > 0 || scan.messages > 0 || scan.imported > 0 || scan.unreadable.length > 0,
  );
  const counted = found.filter(({ scan }) => scan.messages > 0 || scan.imported > 0);
  const known = hasSourceDirs && counted.length > 0 ? counted : found;
  if (known.length === 0) {
    screen.printWrapped(nothingFoundText(platforms));
  } else {
    const rows = known.map(({ scan: { platform }, totals }) => ({ platform, totals }));
    screen.print(countsTable(rows, screen.columns, screen.paint));
    screen.detail(`\n${known.map(({ scan }) => countedText(scan)).join('\n')}`);
  }
  for (const warning of warnings) screen.warning(warning);
}

/** The warnings about scans, without colours, for people and for `--json`. */
export function warningsOf(platforms: readonly PlatformTotals[]): readonly string[] {
  return platforms.flatMap(({ scan, below }) => [
    ...(scan.unreadable.length > 0 ? [unreadableText(scan)] : []),
    // Most messages carry an input count that looks like a placeholder.
    ...(scan.messages >= MIN_MESSAGES_FOR_WARNING && scan.placeholders * 2 > scan.messages
      ? [suspiciousText(scan)]
      : []),
    ...(below.length > 0 ? [belowText(scan, below)] : []),
  ]);
}

function nothingFoundText(platforms: readonly PlatformTotals[]): string {
  const places = platforms.flatMap(({ scan }) =>
    scan.places.map(({ path, found }) => `\n  ${path}${found ? ' (no logs in it)' : ''}`),
  );
  const distinct = [...new Set(places)];
  const rest = distinct.length - MAX_SHOWN_PLACES;
  const more = rest > 0 ? `\n  and ${plural(rest, 'place')} more; see upsilon sources --json` : '';
  return `No logs found. Looked in:${distinct.slice(0, MAX_SHOWN_PLACES).join('')}${more}\nFor logs elsewhere, use --source-dir.`;
}

function countedText(scan: SourceScan): string {
  const { title, messages, files, skipped } = scan;
  const repeats = scan.repeats === 0 ? '' : `; ${plural(scan.repeats, 'repeated record')} merged`;
  const kept = scan.kept === 0 ? '' : `; ${grouped(scan.kept)} of them from logs that were deleted`;
  const imported = scan.imported === 0 ? '' : `; ${plural(scan.imported, 'daily sum')} imported from reports`;
  const counted = `${title}: ${plural(messages, 'message')} in ${plural(files, 'file')}${repeats}${kept}${imported}.`;
  const unknown = skipped.unknown_type;
  const known =
    unknown === 0
      ? counted
      : `${counted} ${plural(unknown, 'record')} of a type that this version does not know counted as well.`;
  const occurring = SKIP_REASONS.filter((reason) => reason !== 'unknown_type').filter((reason) => skipped[reason] > 0);
  if (occurring.length === 0) return known;
  const records = occurring.reduce((sum, reason) => sum + skipped[reason], 0);
  const reasons = occurring.map((reason) => {
    return `${occurring.length === 1 ? '' : `${grouped(skipped[reason])} `}${SKIP_TEXTS[reason]}`;
  });
  return `${known} Skipped ${plural(records, 'record')}: ${reasons.join(', ')}.`;
}

function unreadableText({ unreadable }: SourceScan): string {
  const shown = unreadable
    .slice(0, MAX_SHOWN_PATHS)
    .map(({ path, reason }) => `\n  ${printable(path)} (${reasonText(reason)})`);
  const more = unreadable.length - shown.length;
  const rest = more > 0 ? `\n  and ${grouped(more)} more` : '';
  return `some files could not be read, so the counts may be too low:${shown.join('')}${rest}`;
}

function suspiciousText(scan: SourceScan): string {
  return (
    `${grouped(scan.placeholders)} of ${plural(scan.messages, 'message')} of ${scan.title} have 0 or 1 input tokens. ` +
    'Some versions of the tool write such placeholders instead of the true count. Input is then too low, ' +
    'and Yield far too high. The tool does not estimate the true count.'
  );
}

function belowText(scan: SourceScan, below: readonly string[]): string {
  return (
    `the totals of ${scan.title} are lower than those submitted before (${below.join(', ')}), as after usage.db was lost, damaged ` +
    'or replaced. Within an epoch the service keeps the higher totals, and new usage counts only above them. ' +
    'Restore a newer backup of usage.db, or replace the totals with those of this machine: upsilon recount'
  );
}
