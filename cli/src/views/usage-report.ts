import { printable } from '../net/problem.ts';
import { type Column, fittingTable } from '../output/fitting-table.ts';
import { compactCount, grouped, type Paint, yieldText } from '../output/screen.ts';
import { type Cost, costOf, type PriceList, shortModel } from './prices.ts';
import { localTime } from './time-zone.ts';
import {
  BLOCK_SECONDS,
  hasOnePlatform,
  type RowQuery,
  sumRows,
  totalOf,
  UNKNOWN,
  type UsageRow,
  type View,
  yieldOf,
} from './usage-rows.ts';

const FIRST_TITLES: Readonly<Record<View, readonly [full: string, compact: string]>> = {
  daily: ['Day', 'Day'],
  weekly: ['Week of', 'Week of'],
  monthly: ['Month', 'Month'],
  session: ['Last used', 'Used'],
  blocks: ['Start', 'Start'],
};

/** A row as programs read it. */
export type DescribedRow = ReturnType<typeof describeRow>;

export function describeRow(row: UsageRow, query: RowQuery, prices: PriceList, now: number) {
  const period = describePeriod(row, query.view, prices, now);
  const head = query.by === null ? period : { ...period, [query.by]: row.part };
  return Object.assign(describeSum(row, prices, head), { imported: row.isImported });
}

function describePeriod(row: UsageRow, view: View, prices: PriceList, now: number) {
  const { period, platform, project, first, last } = row;
  if (view === 'session') return { session: period, platform, project, first_used: iso(first), last_used: iso(last) };
  if (view !== 'blocks') return { period };
  const [start, end] = [Number(period), Number(period) + BLOCK_SECONDS];
  const rate = projectBlock(row, prices, now) ?? ENDED;
  return { platform, starts_at: iso(start), ends_at: iso(end), active: now < end, ...rate };
}

const ENDED = { minutes_left: 0, tokens_per_minute: null, projected_total: null, projected_cost_usd: null };

/** The rate of a block since its first use, and what it comes to at this rate; null where it has ended. `now` in seconds. */
export function projectBlock({ period, first, counts, models }: UsageRow, prices: PriceList, now: number) {
  const left = Number(period) + BLOCK_SECONDS - now;
  if (left <= 0) return null;
  const { usd } = costOf(models, prices);
  const used = Math.max(60, now - first);
  const whole = 1 + left / used;
  return {
    minutes_left: Math.ceil(left / 60),
    tokens_per_minute: Math.round((60 * totalOf(counts)) / used),
    projected_total: Math.round(totalOf(counts) * whole),
    projected_cost_usd: usd === null ? null : usd * whole,
  };
}

/** The rates of the blocks that have not ended, a line for each. */
export function blockLines(rows: readonly UsageRow[], prices: PriceList, now: number): readonly string[] {
  return rows.flatMap((row) => {
    const rate = projectBlock(row, prices, now);
    if (rate === null) return [];
    const { minutes_left, tokens_per_minute, projected_total, projected_cost_usd: usd } = rate;
    const cost = usd === null ? '' : ` (${costText({ usd, unpriced: [] }, true)})`;
    return `${row.platform} block: ${compactCount(tokens_per_minute)} tokens/min; at this rate ${compactCount(projected_total)} tokens${cost} in ${durationText(minutes_left)}`;
  });
}

/** `2h13m`, `9m`. */
export function durationText(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes}m` : `${hours}h${`${minutes % 60}`.padStart(2, '0')}m`;
}

/** Adds counts, cost and models of a row, or of several, to `head`. (A literal that begins with a spread takes five times as long.) */
export function describeSum<Head extends object>(
  { counts, models, messages }: Pick<UsageRow, 'counts' | 'models' | 'messages'>,
  prices: PriceList,
  head: Head,
) {
  const { usd, unpriced } = costOf(models, prices);
  const { input, output, cache_read, cache_write } = counts;
  return Object.assign(head, {
    input,
    output,
    cache_read,
    cache_write,
    total: totalOf(counts),
    yield_: yieldOf(counts),
    messages,
    cost_usd: usd,
    unpriced_models: unpriced,
    models: [...models.keys()].sort(),
  });
}

/** Rows as CSV (RFC 4180), with the names of their members in the first line. */
export function csvOf(rows: readonly DescribedRow[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const lines = rows.map((row) => Object.values(row).map(csvCell).join(','));
  return [Object.keys(first).join(','), ...lines].join('\r\n');
}

/** Names come from logs: they must neither control a terminal nor be formulas of a spreadsheet. */
function csvCell(value: string | number | boolean | null | readonly string[]): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = printable(typeof value === 'string' ? value : (value ?? []).join(';'));
  // Some spreadsheets separate cells by semicolons.
  const plain = text.replace(/(^|[;,])(?=\s*[=+@-])/g, "$1'");
  return /[",;]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

type Sum = Pick<UsageRow, 'counts' | 'models'>;

/** Rows as a table with their sum. `width` null: unlimited. */
export function usageTable(
  rows: readonly UsageRow[],
  query: RowQuery,
  prices: PriceList,
  width: number | null,
  paint: Paint,
): string {
  const all: readonly Sum[] = [...rows, sumRows(rows)];
  const counts = (title: string, compact: string, of: (sum: Sum) => number, drop: number): Column => ({
    title,
    align: 'right',
    cells: all.map((each) => grouped(of(each))),
    compact: { title: compact, cells: all.map((each) => compactCount(of(each))) },
    drop,
  });
  const costs = all.map(({ models }) => costOf(models, prices));
  const yields = all.map((sum) => {
    const yield_ = yieldOf(sum.counts);
    return yield_ === null ? '-' : yield_ < 1e6 ? yieldText(yield_) : compactCount(Math.floor(yield_));
  });
  const columns: readonly Column[] = [
    ...namingColumns(rows, query),
    counts('Input', 'In', (sum) => sum.counts.input, 8),
    counts('Output', 'Out', (sum) => sum.counts.output, 9),
    counts('Cache read', 'Read', (sum) => sum.counts.cache_read, 7),
    counts('Cache write', 'Write', (sum) => sum.counts.cache_write, 4),
    counts('Total', 'Total', (sum) => totalOf(sum.counts), 3),
    { title: 'Yield', align: 'right', accent: true, cells: yields, drop: 10 },
    {
      title: 'Cost',
      align: 'right',
      accent: true,
      cells: costs.map((cost) => costText(cost)),
      compact: { title: 'Cost', cells: costs.map((cost) => costText(cost, true)) },
    },
  ];
  const models = [...rows.map((row) => [...new Set([...row.models.keys()].map(shortModel))].join(', ')), ''];
  const modelColumn: Column = { title: 'Models', cells: models, cut: { atLeast: 12, keep: 'start' }, drop: 1 };
  return fittingTable(query.by === 'model' ? columns : [...columns, modelColumn], width, paint, true);
}

/** The columns that say what a row is of. */
function namingColumns(rows: readonly UsageRow[], { view, by, zone }: RowQuery): readonly Column[] {
  const isOfPlatform = hasOnePlatform(view);
  const isSame = (one: UsageRow, other: UsageRow | undefined): boolean =>
    one.period === other?.period && (one.platform === other.platform || !isOfPlatform);
  const lastOf = (row: UsageRow, index: number): number => {
    // A session's moment is its last one, in all its parts, which follow it.
    let { last } = row;
    for (let at = index + 1; isSame(row, rows[at]); at += 1) last = Math.max(last, rows[at]!.last);
    return last;
  };
  const firsts = rows.map((row, index) => {
    if (isSame(row, rows[index - 1])) return '';
    const moment = (): number => (view === 'blocks' ? Number(row.period) : lastOf(row, index));
    const text = isOfPlatform ? localTime(moment(), zone) : row.period;
    return `${text}${row.isImported ? '*' : ''}`;
  });
  const column = (title: string, of: (row: UsageRow) => string | null, more: Partial<Column>): Column => {
    return { title, cells: [...rows.map((row) => of(row) ?? UNKNOWN), ''], ...more };
  };
  const [full, short] = FIRST_TITLES[view];
  // Without the year, where it is the same of all.
  const isOneYear = new Set(firsts.flatMap((text) => (text === '' ? [] : text.slice(0, 4)))).size < 2;
  const compact = { title: short, cells: [...firsts.map((text) => text.slice(isOneYear ? 5 : 0)), 'Sum'] };
  const columns: Column[] = [{ title: full, cells: [...firsts, 'Sum'], ...(isOfPlatform ? { compact } : {}) }];
  if (view === 'session') {
    columns.push(column('Session', ({ period }) => period, { cut: { atLeast: 8, keep: 'start' }, drop: 6 }));
    const project = column('Project', (row) => row.project, { cut: { atLeast: 10, keep: 'end' }, drop: 5 });
    if (by !== 'project') columns.push(project);
  }
  const platform = column('Platform', (row) => row.platform, { cut: { atLeast: 11, keep: 'start' }, drop: 6 });
  if (isOfPlatform && by !== 'platform') columns.push(view === 'session' ? { ...platform, drop: 0 } : platform);
  const modelName = openModelNames(rows);
  const parts = {
    platform: column('Platform', ({ part }) => part, { cut: { atLeast: 11, keep: 'start' } }),
    model: column('Model', modelName, { cut: { atLeast: 18, keep: 'start' } }),
    project: column('Project', ({ part }) => part, { cut: { atLeast: 14, keep: 'end' } }),
  };
  return by === null ? columns : [...columns, parts[by]];
}

/** The short name of a row's model; the full one where another row of the period shares the short name. */
function openModelNames(rows: readonly UsageRow[]): (row: UsageRow) => string {
  const sharing = new Map<string, number>();
  for (const row of rows) sharing.set(periodAndModel(row), (sharing.get(periodAndModel(row)) ?? 0) + 1);
  return (row) => (sharing.get(periodAndModel(row))! > 1 ? row.part! : shortModel(row.part ?? ''));
}

function periodAndModel({ period, part }: UsageRow): string {
  return `${period} ${shortModel(part ?? '')}`;
}

/** `$1,234.56`; with a `+` where some models have no price, `?` where none has one. */
export function costText({ usd, unpriced }: Cost, compact = false): string {
  if (usd === null) return unpriced.length === 0 ? '$0.00' : '?';
  const plus = unpriced.length === 0 ? '' : '+';
  const cents = Math.round(usd * 100);
  const whole = grouped(Math.floor(cents / 100));
  if (compact && usd >= 100_000) return `$${compactCount(Math.round(usd))}${plus}`;
  return `$${compact && usd >= 100 ? grouped(Math.round(usd)) : `${whole}.${`${cents % 100}`.padStart(2, '0')}`}${plus}`;
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
