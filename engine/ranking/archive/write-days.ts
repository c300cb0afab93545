import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { type ArchiveDay, LINE_COLUMNS, PART_LINES, partFile, QUANTILES } from '../../contract/archive.ts';
import { byWindow } from '../../contract/windows.ts';
import { RULE_SETS } from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { type Cooperative, OPERATOR_PAGE_SLOTS, WINDOW_COUNT } from '../core/board/index.ts';
import { tierOf } from '../core/score.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { MissingPartError } from '../read/page-cache.ts';
import { runCooperatively } from '../run-cooperatively.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { KeptBaseRun } from '../storage/board-manifest.ts';
import { type ArchiveRun, type ArchiveTarget, appendLink, stagePart, withArchive } from './chain.ts';

/** Operator pages per read. */
const PAGES_A_READ = 32;
/** Lines, and ranks, per step: each takes about a millisecond. */
const LINES_A_STEP = 250;
const RANKS_A_STEP = 16_384;

/**
 * Archives the first kept board of each day since the last archived one, and deletes lines whose time is over. A new archive begins with
 * the newest day. Safe to repeat: until its link is stored, a day is written again with the same bytes.
 */
export async function writeArchive(
  context: RankingContext,
  target: ArchiveTarget,
  signal?: AbortSignal,
): Promise<void> {
  await withArchive(context, target, signal, async (run) => {
    const history = (await context.stores.board.read())?.history ?? [];
    const firsts = new Map(history.toReversed().map((kept) => [dayText(kept.hour * HOUR_MS), kept]));
    const { day: last } = run.head;
    const days = [...firsts].reverse().filter(([day]) => last === null || day > last);
    for (const [day, kept] of last === null ? days.slice(-1) : days) await writeDay(run, day, kept);
    await deleteOldLines(run);
  });
}

/** Pauses after each step for about as long, so that the verdicts of the same process hardly wait. */
const inSteps = <Result>(steps: Cooperative<Result>): Promise<Result> => runCooperatively(steps, () => setTimeout(1));

/** `2026-05-04`, of milliseconds since the epoch. */
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The days after one and before another. */
function daysBetween(after: string, before: string): string[] {
  const first = Date.parse(after) + DAY_MS;
  const count = Math.max(0, (Date.parse(before) - first) / DAY_MS);
  return Array.from({ length: count }, (_, index) => dayText(first + index * DAY_MS));
}

async function writeDay(run: ArchiveRun, day: string, { base: id, hour, methodology: number }: KeptBaseRun) {
  const { context, target, head } = run;
  const base = await context.stores.parts.base(id);
  if (base === null) throw new MissingPartError(id);
  const methodology = methodologyOf(context, { methodology: number });
  const until = new Date(Date.parse(day) + target.days * DAY_MS);
  const board = await readBoard(run, base);
  const orders: Uint32Array[] = [];
  for (const [window, { count }] of base.directories.entries()) {
    orders.push(await inSteps(inOrder(board, window, count)));
  }
  const lines = orders[0]!;
  const parts: ArchiveDay['parts'][number][] = [];
  for (let from = 0; from < lines.length; from += PART_LINES) {
    await run.proceed();
    const operators = lines.slice(from, from + PART_LINES);
    const text = await inSteps(textOf(board, operators, from));
    const part = await stagePart(run, partFile(day, parts.length + 1), text, operators, until);
    parts.push({ ...part, lines: operators.length });
  }
  const windows = await inSteps(factsOf(board, base, orders, methodology));
  await appendLink(run, {
    type: 'upsilon_archive_day',
    service: target.service,
    license: target.license,
    day,
    missing_days: head.day === null ? [] : daysBetween(head.day, day),
    board_at: new Date(hour * HOUR_MS).toISOString(),
    board_version: base.version,
    methodology,
    rule_set: methodology.rules === null ? null : { ...RULE_SETS.get(methodology.rules) },
    lines: lines.length,
    lines_until: dayText(until.getTime()),
    columns: LINE_COLUMNS,
    windows: byWindow((window) => windows[window]!),
    parts,
  });
}

/** Yields and ranks (0: none) of a base run, `WINDOW_COUNT` each slot: 48 bytes an operator. */
interface BoardTable {
  readonly yields: Float64Array;
  readonly ranks: Uint32Array;
}

async function readBoard({ context, proceed }: ArchiveRun, { id, slots }: BaseRunHeader): Promise<BoardTable> {
  const pages = Math.ceil(slots / OPERATOR_PAGE_SLOTS);
  const size = pages * OPERATOR_PAGE_SLOTS * WINDOW_COUNT;
  const [yields, ranks] = [new Float64Array(size), new Uint32Array(size)];
  for (let first = 0; first < pages; first += PAGES_A_READ) {
    await proceed();
    const count = Math.min(PAGES_A_READ, pages - first);
    const found = await context.stores.parts.operatorPages(id, first, count);
    if (found.length < count) throw new MissingPartError(`operator pages of ${id}`);
    for (const [index, page] of found.entries()) {
      const at = (first + index) * OPERATOR_PAGE_SLOTS * WINDOW_COUNT;
      yields.set(page.yields, at);
      ranks.set(page.ranks, at);
    }
  }
  return { yields, ranks };
}

/** The operators that are ranked in a window, best first, equals by their numbers; then those that are ranked in others alone. */
function* inOrder({ ranks }: BoardTable, window: number, ranked: number): Cooperative<Uint32Array> {
  const [order, equals] = [new Uint32Array(ranks.length / WINDOW_COUNT), new Uint32Array(ranked + 1)];
  let end = ranked;
  for (const operator of order.keys()) {
    if (operator % RANKS_A_STEP === 0) yield;
    const own = ranks.subarray(operator * WINDOW_COUNT, (operator + 1) * WINDOW_COUNT);
    const rank = own[window]!;
    if (rank > 0) {
      order[rank - 1 + equals[rank]!] = operator;
      equals[rank]! += 1;
    } else if (own.some((other) => other > 0)) {
      order[end] = operator;
      end += 1;
    }
  }
  return order.subarray(0, end);
}

function* textOf({ yields, ranks }: BoardTable, operators: Uint32Array, before: number): Cooperative<Buffer> {
  const pieces: Buffer[] = [];
  for (let from = 0; from < operators.length; from += LINES_A_STEP) {
    yield;
    const lines = Array.from(operators.subarray(from, from + LINES_A_STEP), (operator, at) => {
      const first = operator * WINDOW_COUNT;
      const own = Array.from(ranks.subarray(first, first + WINDOW_COUNT), (rank) => rank || null);
      const scores = own.map((rank, window) => rank && yields[first + window]);
      return `${JSON.stringify([before + from + at + 1, ...scores, ...own])}\n`;
    });
    pieces.push(Buffer.from(lines.join('')));
  }
  return Buffer.concat(pieces);
}

/** How many are ranked in each window and tier, and the quantiles of Yield, to two digits, so that none is an operator's. */
function* factsOf(
  { yields }: BoardTable,
  { directories }: BaseRunHeader,
  orders: readonly Uint32Array[],
  methodology: Methodology,
): Cooperative<ArchiveDay['windows'][string][]> {
  const facts = [];
  for (const [window, order] of orders.entries()) {
    const at = (place: number): number => yields[order[place - 1]! * WINDOW_COUNT + window]!;
    const ranked = directories[window]!.count;
    const tiers = Object.fromEntries(methodology.tiers.map(({ name }) => [name, 0]));
    for (let place = 1; place <= ranked; place++) {
      if (place % RANKS_A_STEP === 0) yield;
      tiers[tierOf(at(place), methodology)]! += 1;
    }
    const quantiles = (ranked === 0 ? [] : QUANTILES).map((percent) => {
      return [percent, Number(at(Math.ceil((ranked * (100 - percent)) / 100)).toPrecision(2))] as const;
    });
    facts.push({ ranked, quantiles: Object.fromEntries(quantiles), tiers });
  }
  return facts;
}

/** The files first: whose the lines are is forgotten when there are none. */
async function deleteOldLines({ context: { stores, clock }, target }: ArchiveRun): Promise<void> {
  const files = await stores.archiveLines.filesBefore(new Date(clock()));
  for (const folder of new Set(files.map(dirname)))
    await rm(join(target.dir, folder), { recursive: true, force: true });
  await stores.archiveLines.remove(files);
}
