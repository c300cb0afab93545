import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import {
  type ArchiveDay,
  daysBetween,
  dayText,
  LINE_COLUMNS,
  PART_LINES,
  partFile,
  QUANTILES,
  quantilePlace,
  quantileValue,
} from '../../contract/archive.ts';
import { byWindow, WINDOWS } from '../../contract/windows.ts';
import { RULE_SETS } from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { OPERATOR_PAGE_SLOTS, type OrderPage, WINDOW_COUNT } from '../core/board/index.ts';
import { tierOf } from '../core/score.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { MissingPartError } from '../read/page-cache.ts';
import type { ArchiveHead } from '../storage/archive-lines.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { KeptBaseRun } from '../storage/board-manifest.ts';
import type { BoardParts } from '../storage/board-parts.ts';
import { placePart, stagePart } from './archive-files.ts';
import { type ArchiveTarget, appendLink, withArchive } from './chain.ts';

/** Operator pages per read. */
const PAGES_A_READ = 64;
/** Lines per piece of text: their making blocks the event loop for some milliseconds. */
const LINES_A_PIECE = 1_000;

/**
 * Archives the first kept board of each day since the last archived one, and deletes lines whose time is over. A new archive begins with
 * the newest day. Safe to repeat: until its link is written, a day is written again with the same bytes.
 */
export async function writeArchive(
  context: RankingContext,
  target: ArchiveTarget,
  signal?: AbortSignal,
): Promise<void> {
  await withArchive(context, target, async (settled) => {
    const history = (await context.stores.board.read())?.history ?? [];
    const firsts = new Map(history.toReversed().map((kept) => [dayOf(kept), kept]));
    const days = [...firsts].reverse().filter(([day]) => settled.day === null || day > settled.day);
    let head = settled;
    for (const [day, kept] of settled.day === null ? days.slice(-1) : days) {
      signal?.throwIfAborted();
      head = await writeDay(context, target, head, day, kept);
    }
    await deleteOldLines(context, target);
  });
}

const dayOf = ({ hour }: KeptBaseRun): string => dayText(Math.floor((hour * HOUR_MS) / DAY_MS));

async function writeDay(
  context: RankingContext,
  target: ArchiveTarget,
  head: ArchiveHead,
  day: string,
  { base: id, hour, methodology: number }: KeptBaseRun,
): Promise<ArchiveHead> {
  const { parts: stored, archiveLines } = context.stores;
  const base = await stored.base(id);
  if (base === null) throw new MissingPartError(id);
  const methodology = methodologyOf(context, { methodology: number });
  const until = Date.parse(day) + target.days * DAY_MS;
  const parts: ArchiveDay['parts'] = [];
  for await (const { operators, text } of partsOf(await readBoard(stored, base), orderOf(stored, base))) {
    const file = partFile(day, parts.length + 1);
    const { bytes, sha256 } = await stagePart(join(target.dir, file), text);
    await context.failpoint('archive.part_staged');
    // Before the file is there: no line is public whose operator could not be erased.
    await archiveLines.put(file, sha256, operators, new Date(until));
    parts.push({ file, lines: operators.length, bytes, sha256 });
  }
  await context.failpoint('archive.lines_stored');
  for (const { file } of parts) await placePart(join(target.dir, file));
  await context.failpoint('archive.parts_written');
  const windows = await Promise.all(WINDOWS.map((_, window) => windowFacts(stored, base, window, methodology)));
  return appendLink(context, target, head, {
    type: 'upsilon_archive_day',
    service: target.service,
    license: target.license,
    day,
    missing_days: head.day === null ? [] : daysBetween(head.day, day),
    board_at: new Date(hour * HOUR_MS).toISOString(),
    board_version: base.version,
    methodology: { ...methodology, tiers: [...methodology.tiers] },
    rule_set: methodology.rules === null ? null : { ...RULE_SETS.get(methodology.rules) },
    lines: parts.reduce((sum, { lines }) => sum + lines, 0),
    lines_until: dayText(until / DAY_MS),
    columns: LINE_COLUMNS,
    windows: byWindow((window) => windows[window]!),
    parts,
  });
}

/** The Yields (NaN: unranked) and ranks of a base run, `WINDOW_COUNT` for each slot: 48 bytes an operator. */
interface BoardTable {
  readonly yields: Float64Array;
  readonly ranks: Uint32Array;
}

async function readBoard(stored: BoardParts, { id, slots }: BaseRunHeader): Promise<BoardTable> {
  const pages = Math.ceil(slots / OPERATOR_PAGE_SLOTS);
  const size = pages * OPERATOR_PAGE_SLOTS * WINDOW_COUNT;
  const [yields, ranks] = [new Float64Array(size), new Uint32Array(size)];
  for (let page = 0; page < pages; ) {
    const found = await stored.operatorPages(id, page, Math.min(PAGES_A_READ, pages - page));
    if (found.length === 0) throw new MissingPartError(`operator page ${page} of ${id}`);
    for (const read of found) {
      yields.set(read.yields, page * OPERATOR_PAGE_SLOTS * WINDOW_COUNT);
      ranks.set(read.ranks, page * OPERATOR_PAGE_SLOTS * WINDOW_COUNT);
      page += 1;
    }
  }
  return { yields, ranks };
}

async function* orderOf(stored: BoardParts, { id, directories }: BaseRunHeader, window = 0): AsyncGenerator<OrderPage> {
  const { count, pageEntries } = directories[window]!;
  for (let page = 0; page * pageEntries < count; page++) {
    const found = await stored.orderPage(id, window, page);
    if (found === null) throw new MissingPartError(`order page ${page} of ${id}`);
    yield found;
  }
}

/** The lines of each part: those of all_time in its order, then operators that are ranked in other windows alone. */
async function* partsOf(table: BoardTable, order: AsyncIterable<OrderPage>) {
  let operators: number[] = [];
  let before = 0;
  const part = () => {
    const made = Uint32Array.from(operators);
    const text = textOf(table, made, before);
    before += made.length;
    operators = [];
    return { operators: made, text };
  };
  for await (const { operators: ordered } of order) {
    for (const operator of ordered) {
      operators.push(operator);
      if (operators.length === PART_LINES) yield part();
    }
  }
  for (let operator = 0; operator * WINDOW_COUNT < table.ranks.length; operator++) {
    const [all, ...others] = table.ranks.subarray(operator * WINDOW_COUNT, (operator + 1) * WINDOW_COUNT);
    if (all !== 0 || others.every((rank) => rank === 0)) continue;
    operators.push(operator);
    if (operators.length === PART_LINES) yield part();
  }
  if (operators.length > 0) yield part();
}

function* textOf({ yields, ranks }: BoardTable, operators: Uint32Array, before: number): Generator<string> {
  for (let from = 0; from < operators.length; from += LINES_A_PIECE) {
    let text = '';
    for (let at = from; at < Math.min(from + LINES_A_PIECE, operators.length); at++) {
      const slot = operators[at]! * WINDOW_COUNT;
      const [line, own] = [[before + at + 1], ranks.subarray(slot, slot + WINDOW_COUNT)];
      const scores = Array.from(own, (rank, window) => (rank === 0 ? null : yields[slot + window]));
      text += `${JSON.stringify([...line, ...scores, ...Array.from(own, (rank) => rank || null)])}\n`;
    }
    yield text;
  }
}

/** How many are ranked in a window and in each tier, and the quantiles of Yield. */
async function windowFacts(
  stored: BoardParts,
  base: BaseRunHeader,
  window: number,
  methodology: Methodology,
): Promise<ArchiveDay['windows'][string]> {
  const ranked = base.directories[window]!.count;
  const places = new Map<number, number[]>();
  for (const percent of ranked === 0 ? [] : QUANTILES) {
    const place = quantilePlace(percent, ranked);
    places.set(place, [...(places.get(place) ?? []), percent]);
  }
  const quantiles: Record<string, number> = {};
  const tiers = Object.fromEntries(methodology.tiers.map(({ name }) => [name, 0]));
  let place = 0;
  for await (const { yields } of orderOf(stored, base, window)) {
    for (const yield_ of yields) {
      tiers[tierOf(yield_, methodology)]! += 1;
      for (const percent of places.get((place += 1)) ?? []) quantiles[percent] = quantileValue(yield_);
    }
  }
  return { ranked, quantiles, tiers };
}

/** The files first: whose the lines are is forgotten when there are none. */
async function deleteOldLines({ stores, clock }: RankingContext, { dir }: ArchiveTarget): Promise<void> {
  const files = await stores.archiveLines.filesBefore(new Date(clock()));
  for (const folder of new Set(files.map(dirname))) await rm(join(dir, folder), { recursive: true, force: true });
  await stores.archiveLines.remove(files);
}
