import { nextTierFrom } from '../../engine/contract/tiers.ts';
import { heldText, lackedOf, missingText } from '../../engine/contract/unranked.ts';
import type { BoardEntry, BoardLine, PageRow, RowIntegrity, WindowScore } from '../../engine/ranking/index.ts';

const SIGNIFICANT_DIGITS = 4;

/** From here on numbers have no decimals and a separator of thousands. */
const WHOLE_FROM = 1_000;

/** From here on numbers have an exponent. */
const EXPONENT_FROM = 1e15;

/** A score or ratio for people: four significant digits, or no decimals from 1,000 on. */
export function showNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= EXPONENT_FROM) return value.toExponential(SIGNIFICANT_DIGITS - 1);
  if (size >= WHOLE_FROM) return belowNextTier(value, Math.round(value), 1).toLocaleString('en-US');
  const rounded = Number(value.toPrecision(SIGNIFICANT_DIGITS));
  return String(belowNextTier(value, rounded, 10 ** (Math.floor(Math.log10(size)) - SIGNIFICANT_DIGITS + 1)));
}

/** `rounded`, or one `step` less where it reaches a tier that the value does not. */
function belowNextTier(value: number, rounded: number, step: number): number {
  return rounded < nextTierFrom(value) ? rounded : Number((rounded - step).toPrecision(SIGNIFICANT_DIGITS + 1));
}

/** `24 h no rank then`: positive is up. */
export function showMovements({ movement_24h, movement_7d }: Pick<BoardEntry, 'movement_24h' | 'movement_7d'>): string {
  return `24 h ${showRanks(movement_24h)}, 7 d ${showRanks(movement_7d)}`;
}

function showRanks(ranks: number | null): string {
  return ranks === null ? 'no rank then' : `${ranks > 0 ? '+' : ''}${ranks}`;
}

/** `x1.5`: a ratio. */
function showTimes(ratio: number | null): string {
  return ratio === null ? 'not comparable' : `x${showNumber(ratio)}`;
}

type Ratios = Readonly<Record<`${'leverage' | 'velocity'}_ratio`, number | null>>;

/** `Leverage x1.5, Velocity x3`, after the ratio of Yields if given. */
export function showRatios(found: Ratios & { readonly yield_ratio?: number | null }): string {
  const ratios = `Leverage ${showTimes(found.leverage_ratio)}, Velocity ${showTimes(found.velocity_ratio)}`;
  return found.yield_ratio === undefined ? ratios : `Yield ${showTimes(found.yield_ratio)}, ${ratios}`;
}

/** `1 entry`, `2 entries`. */
export function count(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? noun : plural}`;
}

/** `Yield 90 (Leverage 30, Velocity 3)`. */
export function showScores(scores: Pick<BoardLine, 'yield_' | 'leverage' | 'velocity'>): string {
  const [yield_, leverage, velocity] = [scores.yield_, scores.leverage, scores.velocity].map(showNumber);
  return `Yield ${yield_} (Leverage ${leverage}, Velocity ${velocity})`;
}

/** An entry on one line, without its display name: a model must not read text that an operator chose. */
export function showLine(line: BoardLine): string {
  return `#${line.rank} ${line.codename}: ${showScores(line)}, ${line.class_tier}, ${line.platform}`;
}

/** An entry on one line, with its movements and flags. */
export function showEntry(entry: BoardEntry): string {
  return `${showLine(entry)}; ${showMovements(entry)}${showReliance(entry)}`;
}

/** A row of a page: as `showEntry`, without movements where the board has none, or what was kept of it. */
export function showRow(row: PageRow, moves: boolean): string {
  if (isWhole(row)) return moves ? showEntry(row) : `${showLine(row)}${showReliance(row)}`;
  const { rank, codename, yield_, class_tier = '', platform } = row;
  return `#${rank} ${codename}: Yield ${showNumber(yield_)}, ${class_tier}, ${platform}`;
}

function isWhole(row: PageRow): row is BoardEntry {
  return row.leverage !== undefined;
}

/** `; provisional; witnessed 9 of 45 days; flags: no-input; Yield between 3 and 9`: what a row has of it. */
export function showReliance({
  provisional,
  witnessed_days,
  integrity: { flags },
  yield_range: range,
}: RowIntegrity): string {
  const parts = [
    ...(provisional ? ['provisional'] : []),
    `witnessed ${witnessed_days} of 45 days`,
    ...(flags.length === 0 ? [] : [`flags: ${flags.join(', ')}`]),
    ...(range === null
      ? []
      : [`Yield about ${showNumber(range[0])} to ${showNumber(range[1])} by variation from day to day`]),
  ];
  return parts.map((part) => `; ${part}`).join('');
}

/** `: needs 1,000 input tokens, has 153; flags: no-input`: why a row has no rank, in numbers. */
export function showMissing({ unranked, would_be, missing, integrity: { flags } }: WindowScore): string {
  const lacks = unranked === 'held' ? [heldText(would_be, missing)] : lackedOf(missing).map(missingText);
  return `${lacks.length === 0 ? '' : `: it ${lacks.join(' and ')}`}${flags.length === 0 ? '' : `; flags: ${flags.join(', ')}`}`;
}

/** One text of the lines that are not null. */
export function joinLines(...lines: ReadonlyArray<string | null>): string {
  return lines.filter((line) => line !== null).join('\n');
}
