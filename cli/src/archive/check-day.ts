import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  type ArchiveDay,
  dayText,
  LINE_COLUMNS,
  QUANTILES,
  quantilePlace,
  quantileValue,
} from '../../../engine/contract/archive.ts';
import { WINDOWS } from '../../../engine/contract/windows.ts';
import { CliError } from '../cli-error.ts';
import { parseJson } from '../json.ts';
import type { ChainedDay } from './check-chain.ts';
import { type Archive, differs } from './open-archive.ts';

/** The lines of a day by window: Yields (NaN: none) and ranks (0: none). */
interface DayLines {
  readonly yields: readonly Float64Array[];
  readonly ranks: readonly Uint32Array[];
  /** Lines without any number: their operators were erased. */
  blank: number;
}

const DAY_MS = 86_400_000;

/**
 * Checks the files of a day, and recomputes its ranks, counts, tiers and quantiles. Null when its lines were deleted, as its link says.
 * The first difference is thrown as a CliError that names the file. `now`: in milliseconds.
 */
export async function checkDay(archive: Archive, day: ChainedDay, now = Date.now()) {
  const lines = await readLines(archive, day, dayText(Math.floor(now / DAY_MS)));
  if (lines === null) return null;
  const { manifest } = day;
  if (lines.blank !== [...day.parts.values()].reduce((sum, { blank }) => sum + blank, 0)) {
    throw differs(manifest.day, 'the amendments do not count its blank lines');
  }
  checkOrder(manifest, lines.yields[0]!, lines.ranks);
  for (let window = 0; window < WINDOWS.length; window++) {
    const order = inOrder(lines.yields[window]!);
    checkRanks(manifest, lines, window, order);
    checkFacts(manifest, lines, window, order);
  }
  return { lines: manifest.lines, blank: lines.blank };
}

async function readLines(archive: Archive, { manifest, parts }: ChainedDay, today: string): Promise<DayLines | null> {
  const yields = WINDOWS.map(() => new Float64Array(manifest.lines).fill(Number.NaN));
  const ranks = WINDOWS.map(() => new Uint32Array(manifest.lines));
  const lines: DayLines = { yields, ranks, blank: 0 };
  const isOver = manifest.lines_until <= today;
  let at = 0;
  for (const { file, lines: count } of manifest.parts) {
    const found = await archive.stream(file);
    if (found === null && isOver) return null;
    if (found === null) throw differs(file, 'there is no such file');
    const end = at + count;
    for await (const line of linesOf(file, found, parts.get(file)!)) {
      const value = parseJson(line);
      const isLine = Array.isArray(value) && value.length === LINE_COLUMNS.length && value[0] === at + 1 && at < end;
      if (!isLine || !takeLine(lines, at, value)) throw differs(file, `line ${at + 1} is none`);
      at += 1;
    }
    if (at !== end) throw differs(file, 'it has another number of lines');
  }
  if (at !== manifest.lines) throw differs(manifest.day, 'its parts do not have its number of lines');
  return lines;
}

/** False for what is no line: a Yield is finite and not negative, and has a rank. */
function takeLine(lines: DayLines, at: number, value: readonly unknown[]): boolean {
  let isBlank = true;
  for (let window = 0; window < WINDOWS.length; window++) {
    const [yield_, rank] = [value[1 + window], value[1 + WINDOWS.length + window]];
    if (yield_ === null && rank === null) continue;
    if (typeof yield_ !== 'number' || typeof rank !== 'number' || !(yield_ >= 0) || !(rank >= 1)) return false;
    lines.yields[window]![at] = yield_;
    lines.ranks[window]![at] = rank;
    isBlank = false;
  }
  if (isBlank) lines.blank += 1;
  return true;
}

/** The lines of a part, as they come. */
async function* linesOf(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  stated: { readonly sha256: string; readonly bytes: number },
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let size = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      hash.update(piece);
      size += piece.length;
      if (size > stated.bytes) throw differs(file, 'it is longer than stated');
      yield piece;
    }
    if (hash.digest('hex') !== stated.sha256) throw differs(file, 'its SHA-256 is not the one that the link states');
  }
  let rest = '';
  try {
    const source = Readable.from(measured());
    const text = createGunzip().setEncoding('utf8');
    source.once('error', (error) => text.destroy(error));
    for await (const piece of source.pipe(text)) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw error instanceof CliError ? error : differs(file, `it cannot be decompressed (${String(error)})`);
  }
  if (rest !== '') throw differs(file, 'it ends within a line');
}

/** The indices of the lines with a Yield, highest first. */
function inOrder(yields: Float64Array): Uint32Array {
  const ranked = Uint32Array.from(yields.keys()).filter((at) => !Number.isNaN(yields[at]!));
  return ranked.sort((a, b) => yields[b]! - yields[a]! || a - b);
}

/** The lines are in the order of all_time; those without a Yield there come last. */
function checkOrder({ day }: ArchiveDay, yields: Float64Array, ranks: DayLines['ranks']): void {
  let least = Number.POSITIVE_INFINITY;
  for (const [at, yield_] of yields.entries()) {
    if (ranks.every((own) => own[at] === 0)) continue;
    const own = Number.isNaN(yield_) ? Number.NEGATIVE_INFINITY : yield_;
    if (own > least) throw differs(day, `line ${at + 1} is not in the order of all_time`);
    least = own;
  }
}

/** A rank may exceed the recomputed one by the blank lines before it, whose Yields are not known any more. */
function checkRanks({ day }: ArchiveDay, { yields, ranks, blank }: DayLines, window: number, order: Uint32Array): void {
  const own = yields[window]!;
  let [rank, beyond] = [0, 0];
  for (const [index, at] of order.entries()) {
    const isTie = index > 0 && own[at] === own[order[index - 1]!];
    if (!isTie) rank = index + 1;
    const given = ranks[window]![at]!;
    const more = given - rank;
    if (more < beyond || more > blank || (isTie && more !== beyond)) {
      const text = `line ${at + 1} has rank ${given} in ${WINDOWS[window]}, and ${rank} recomputed`;
      throw differs(day, blank === 0 ? text : `${text} beside ${blank} blank lines`);
    }
    beyond = more;
  }
}

/** What the link states of a window. Blank lines may be in any tier, and at any place. */
function checkFacts(manifest: ArchiveDay, { yields, blank }: DayLines, window: number, order: Uint32Array): void {
  const [name, own] = [WINDOWS[window]!, yields[window]!];
  const stated = manifest.windows[name];
  const check = (what: string, value: number | undefined, least: number, most: number): void => {
    if (value !== undefined && value >= least && value <= most) return;
    throw differs(manifest.day, `${what} of ${name} is stated as ${value}, and ${least} recomputed`);
  };
  check('the number of ranked', stated?.ranked, order.length, order.length + blank);
  const counts = new Map(manifest.methodology.tiers.map((tier) => [tier.name, 0]));
  for (const at of order) counts.set(tierOf(manifest, own[at]!), counts.get(tierOf(manifest, own[at]!))! + 1);
  for (const [tier, count] of counts) check(`the tier ${tier}`, stated?.tiers[tier], count, count + blank);
  const ranked = stated?.ranked ?? 0;
  check(
    'the sum of tiers',
    Object.values(stated?.tiers ?? {}).reduce((sum, one) => sum + one, 0),
    ranked,
    ranked,
  );
  for (const percent of ranked === 0 ? [] : QUANTILES) {
    const place = quantilePlace(percent, ranked) - 1;
    const [least, most] = [own[order[place] ?? -1] ?? 0, own[order[place - blank] ?? -1] ?? Number.POSITIVE_INFINITY];
    check(`the quantile ${percent}`, stated?.quantiles[percent], quantileValue(least), quantileValue(most));
  }
}

function tierOf({ methodology }: ArchiveDay, yield_: number): string {
  return methodology.tiers.findLast(({ from }) => from <= yield_)?.name ?? '';
}
