import { WINDOWS, type Window } from '../../../engine/contract/windows.ts';
import { CliError } from '../cli-error.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { printable } from '../net/problem.ts';
import { warningsOf } from '../output/scan-report.ts';
import { plural } from '../output/screen.ts';
import { cutText } from '../output/text-width.ts';
import { readDay } from '../sources/fields.ts';
import type { Bucket } from '../store/buckets.ts';
import { PRICES_AS_OF } from '../views/price-table.ts';
import { openPrices, type PriceList } from '../views/prices.ts';
import { localDay, openTimeZone } from '../views/time-zone.ts';
import { blockLines, csvOf, describeRow, describeSum, projectBlock, usageTable } from '../views/usage-report.ts';
import {
  GROUPINGS,
  hasOnePlatform,
  newestFirst,
  type RowQuery,
  sumRows,
  type UsageRow,
  usageRows,
  type View,
} from '../views/usage-rows.ts';
import { scanUsage } from './scan-usage.ts';

export interface ViewOptions {
  readonly by?: string;
  readonly since?: string;
  readonly until?: string;
  readonly timezone?: string;
  readonly csv?: boolean;
  readonly order?: string;
  readonly active?: boolean;
}

/** Models without a price that are shown; `--json` has them all. */
const MAX_SHOWN_MODELS = 8;

const MAX_MODEL_COLUMNS = 40;

const KEPT_NOTE =
  'What was counted in --source-dir is now part of the totals of this settings folder, and of its next submission. ' +
  'For logs that are not yours, use a separate --config-dir. To take it back: upsilon recount --logs-only';

/** Shows the usage of this machine by day, week, month, session or block. Scans and saves the counts; sends nothing. */
export const viewCommand =
  (view: View): Command<ViewOptions> =>
  async (context) => {
    const { screen, settings, options } = context;
    if (screen.json && options.csv === true) throw usageError('--json and --csv exclude each other');
    const query = readQuery(view, context);
    const prices = await openPrices(settings.configDir);
    const { order = 'asc', active } = options;
    if (!/^(?:asc|desc)$/.test(order)) throw usageError('--order takes asc or desc');
    const buckets = await scanBuckets(context);
    const now = Date.now() / 1000;
    const inTime = usageRows(buckets, query).filter(
      (row) => active !== true || projectBlock(row, prices, now) !== null,
    );
    const rows = order === 'desc' ? newestFirst(inTime, view) : inTime;
    const describe = () => rows.map((row) => describeRow(row, query, prices, now));
    if (screen.json) {
      const { by, since, until, zone } = query;
      const totals = describeTotals(rows, buckets, query, prices);
      const head = { view, by, since, until, timezone: zone.name, prices_as_of: PRICES_AS_OF };
      screen.result({ ...head, rows: describe(), totals });
    } else if (options.csv === true) screen.print(csvOf(describe()));
    else if (rows.length > 0) showRows(rows, query, prices, context);
    else {
      const period = query.since === null && query.until === null ? '' : ' in this period';
      const nothing = active === true ? 'No block is active now' : `No usage was counted${period}`;
      screen.printWrapped(`${nothing}. Where usage was looked for: upsilon sources`);
    }
    return 'ok';
  };

/** Scans the logs of the selected platforms; returns everything that was ever counted on this machine. */
export async function scanBuckets(context: CommandContext): Promise<readonly Bucket[]> {
  const { screen, settings } = context;
  // The views select by local days themselves.
  const scanned = await scanUsage({ ...context, settings: { ...settings, since: null } }, 'where writable');
  const scans = scanned.scans.map((scan) => ({ scan, totals: scan.totals, below: [] }));
  for (const warning of [...scanned.warnings, ...warningsOf(scans)]) screen.warning(warning);
  if (settings.sourceDirs.length > 0 && scanned.scans.some(({ changed }) => changed > 0)) screen.note(KEPT_NOTE);
  return scanned.buckets;
}

/** What the options select. Throws a usage error. */
export function readQuery(view: View, { options, settings, env }: CommandContext<ViewOptions>): RowQuery {
  const { by, timezone } = options;
  const grouping = GROUPINGS.find((each) => each === by);
  if (by !== undefined && grouping === undefined) throw usageError(`--by takes ${GROUPINGS.join(', ')}`);
  const zone = openTimeZone(timezone, env);
  const readOption = (text: string | undefined): string | null => {
    const day = text === undefined ? null : readDay(text, localDay(Date.now() / 1000, zone));
    if (text === undefined || day !== null) return day;
    throw usageError(`"${text}" is not a day such as 2026-05-31, 20260531, yesterday or 7d`);
  };
  const [since, until] = [readOption(options.since), readOption(options.until)];
  if (since !== null && until !== null && until < since) throw usageError('--until is before --since');
  const { platforms } = settings;
  return { view, by: grouping ?? null, since, until, platforms, zone };
}

/** The window that an option names. Throws a usage error. */
export function readWindow(text = 'all_time'): Window {
  const window = WINDOWS.find((name) => name === text);
  if (window === undefined) throw usageError(`--window takes ${WINDOWS.join(', ')}`);
  return window;
}

/** The seconds of an option. Throws a usage error. */
export function readSeconds(option: string, text: string | undefined, without: number, least: number): number {
  const seconds = Number(text ?? without);
  if (Number.isFinite(seconds) && seconds >= least && seconds <= 86_400) return seconds;
  throw usageError(`${option} takes ${least} to 86400 seconds`);
}

export function usageError(message: string): CliError {
  return new CliError('usage', 'settings_invalid', message, 'See upsilon --help.');
}

/** The sums of the selected usage by platform. */
function describeTotals(
  rows: readonly UsageRow[],
  buckets: readonly Bucket[],
  query: RowQuery,
  prices: PriceList,
): object {
  const rowsOfPlatforms = hasOnePlatform(query.view) ? rows : usageRows(buckets, { ...query, by: 'platform' });
  const platforms = [...new Set(rowsOfPlatforms.map(({ platform }) => platform))];
  const ofPlatform = (platform: string) => rowsOfPlatforms.filter((row) => row.platform === platform);
  return Object.fromEntries(
    platforms.map((platform) => [platform, describeSum(sumRows(ofPlatform(platform)), prices, {})]),
  );
}

function showRows(rows: readonly UsageRow[], query: RowQuery, prices: PriceList, { screen }: CommandContext): void {
  screen.print(usageTable(rows, query, prices, screen.columns, screen.paint));
  screen.print('');
  if (query.view === 'blocks')
    for (const line of blockLines(rows, prices, Date.now() / 1000)) screen.printWrapped(`${line}.`);
  screen.printWrapped(
    `Days are those of ${query.zone.name}. Cost: list prices (upsilon prices), not what a plan costs.`,
  );
  if (rows.some(({ isImported }) => isImported))
    screen.printWrapped('* includes counts that were imported from a report of another tool.');
  const { unpriced_models: unpriced } = describeSum(sumRows(rows), prices, {});
  if (unpriced.length === 0) return;
  const shown = unpriced.slice(0, MAX_SHOWN_MODELS).map((model) => cutText(printable(model), MAX_MODEL_COLUMNS));
  const more = unpriced.length - shown.length;
  const names = more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${plural(more, 'other')}`;
  screen.printWrapped(`+ and ?: no price is known for ${names}; upsilon prices shows where to add one.`);
}
