import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { type ArchivePart, LINE_COLUMNS, PART_LINES, partFile, QUANTILES } from '../../contract/archive.ts';
import { byWindow } from '../../contract/windows.ts';
import { RULE_SETS } from '../../integrity/index.ts';
import { methodologyOf } from '../context.ts';
import { WINDOW_COUNT } from '../core/board/index.ts';
import { tierOf } from '../core/score.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { MissingPartError } from '../read/page-cache.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { KeptBaseRun } from '../storage/board-manifest.ts';
import { type ArchiveRun, appendLink, newestDayOf, onArchive, stagePart } from './chain.ts';

/** Lines per step, which takes about a millisecond, as does a page of the board. */
const LINES_A_STEP = 250;

/** Pages of the board for which the lease is renewed once. */
const PAGES_A_LEASE = 32;

/** A pause after a step for about as long, so that the verdicts of the same process hardly wait. */
const rest = (): Promise<void> => setTimeout(1);

/**
 * Archives the first kept board of each day since the last archived one, and deletes lines whose time is over. A new archive begins with
 * the newest day. Safe to repeat: until its link is stored, a day is written again with the same bytes.
 */
export const writeArchive = onArchive(async (run) => {
  const history = (await run.context.stores.board.read())?.history ?? [];
  const firsts = new Map(history.toReversed().map((kept) => [dayText(kept.hour * HOUR_MS), kept]));
  const last = newestDayOf(run);
  const days = [...firsts].reverse().filter(([day]) => last === null || day > last);
  for (const [day, kept] of last === null ? days.slice(-1) : days) await writeDay(run, day, kept);
  await deleteOldLines(run);
});

/** `2026-05-04`, of milliseconds since the epoch. */
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10);

async function writeDay(run: ArchiveRun, day: string, { base: id, hour, methodology: number }: KeptBaseRun) {
  const { context, target } = run;
  const base = await context.stores.parts.base(id);
  if (base === null) throw new MissingPartError(id);
  const methodology = methodologyOf(context, { methodology: number });
  const until = new Date(Date.parse(day) + target.days * DAY_MS);
  const { windows, ...board } = await readBoard(run, base, methodology);
  const parts: ArchivePart[] = [];
  for (let from = 0; from < board.order.length; from += PART_LINES) {
    await run.proceed();
    const operators = board.order.slice(from, from + PART_LINES);
    const lines = linesOf(board, operators, from);
    const part = await stagePart(run, partFile(day, parts.length + 1), lines, operators, until);
    parts.push({ ...part, lines: operators.length });
  }
  const missing_days: string[] = [];
  for (let at = Date.parse(newestDayOf(run) ?? day) + DAY_MS; at < Date.parse(day); at += DAY_MS) {
    missing_days.push(dayText(at));
  }
  await appendLink(run, {
    type: 'day',
    service: target.service,
    license: target.license,
    day,
    // Since the day before: no board of them was kept, or none was archived.
    missing_days,
    board_at: new Date(hour * HOUR_MS).toISOString(),
    board_version: base.version,
    // Both with all of their data.
    methodology,
    rule_set: methodology.rules === null ? null : { ...RULE_SETS.get(methodology.rules) },
    lines: board.order.length,
    // From this day on they may be deleted.
    lines_until: dayText(until.getTime()),
    columns: LINE_COLUMNS,
    windows: byWindow((window) => windows[window]!),
    parts,
  });
}

/** Yields and ranks (0: none) by operator, `WINDOW_COUNT` each, and the operators in the order of lines: 53 bytes an operator. */
type Board = Readonly<Omit<Awaited<ReturnType<typeof readBoard>>, 'windows'>>;

/** Reads each window of a base run in board order. Those who are ranked in it and in none before come last in the order of lines. */
async function readBoard({ context, proceed }: ArchiveRun, base: BaseRunHeader, methodology: Methodology) {
  const [yields, ranks] = [new Float64Array(base.slots * WINDOW_COUNT), new Uint32Array(base.slots * WINDOW_COUNT)];
  const [order, isIn] = [new Uint32Array(base.slots), new Uint8Array(base.slots)];
  const windows = [];
  let lines = 0;
  for (const [window, { count: ranked }] of base.directories.entries()) {
    const sorted = new Float64Array(ranked);
    const tiers = Object.fromEntries(methodology.tiers.map(({ name }) => [name, 0]));
    let [place, rank] = [0, 0];
    for (let number = 0; place < ranked; number++) {
      if (number % PAGES_A_LEASE === 0) await proceed();
      await rest();
      const page = await context.stores.parts.orderPage(base.id, window, number);
      if (page === null) throw new MissingPartError(`order page ${number} of ${base.id}`);
      sorted.set(page.yields, place);
      for (const operator of page.operators) {
        const yield_ = sorted[place]!;
        if (yield_ !== sorted[place - 1]) rank = place + 1;
        place += 1;
        yields[operator * WINDOW_COUNT + window] = yield_;
        ranks[operator * WINDOW_COUNT + window] = rank;
        tiers[tierOf(yield_, methodology)]! += 1;
        if (isIn[operator] === 0) order[lines++] = operator;
        isIn[operator] = 1;
      }
    }
    // To two digits, so that none is an operator's.
    const quantiles = (ranked === 0 ? [] : QUANTILES).map((percent) => {
      return [percent, Number(sorted[Math.ceil((ranked * (100 - percent)) / 100) - 1]!.toPrecision(2))] as const;
    });
    windows.push({ ranked, quantiles: Object.fromEntries(quantiles), tiers });
  }
  return { yields, ranks, order: order.subarray(0, lines), windows };
}

/** The lines of these operators, some at a time; `before` come first. */
async function* linesOf({ yields, ranks }: Board, operators: Uint32Array, before: number): AsyncGenerator<string> {
  for (let from = 0; from < operators.length; from += LINES_A_STEP) {
    await rest();
    let lines = '';
    for (const [at, operator] of operators.subarray(from, from + LINES_A_STEP).entries()) {
      const first = operator * WINDOW_COUNT;
      const own = ranks.subarray(first, first + WINDOW_COUNT);
      lines += `[${before + from + at + 1}`;
      for (const [window, rank] of own.entries()) lines += rank === 0 ? ',null' : `,${yields[first + window]}`;
      for (const rank of own) lines += rank === 0 ? ',null' : `,${rank}`;
      lines += ']\n';
    }
    yield lines;
  }
}

/** The files first: whose the lines are is forgotten when there are none. */
async function deleteOldLines({ context: { stores, clock }, target }: ArchiveRun): Promise<void> {
  const files = await stores.archiveLines.filesBefore(new Date(clock()));
  for (const file of files) await rm(join(target.dir, file), { force: true });
  await stores.archiveLines.remove(files);
}
