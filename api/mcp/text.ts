import type { BoardEntry, BoardLine } from '../../engine/ranking/index.ts';

const SIGNIFICANT_DIGITS = 4;

/** From here on numbers are shown whole, with their thousands apart. */
const WHOLE_FROM = 1_000;

/** From here on, and for numbers this many times smaller than one, the exponent says more than the digits. */
const EXPONENT_FROM = 1e15;

/** A score or ratio as people read it: four significant digits, or whole thousands. */
export function showNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= EXPONENT_FROM) return value.toExponential(SIGNIFICANT_DIGITS - 1);
  if (size >= WHOLE_FROM) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
}

/** `24 h +3, 7 d no rank then`: positive is a climb. */
export function showMovements({ movement_24h, movement_7d }: Pick<BoardEntry, 'movement_24h' | 'movement_7d'>): string {
  return `24 h ${showPlaces(movement_24h)}, 7 d ${showPlaces(movement_7d)}`;
}

function showPlaces(places: number | null): string {
  if (places === null) return 'no rank then';
  return places > 0 ? `+${places}` : String(places);
}

/** `x1.5`: what one number is times another. Null where that is no number. */
function showTimes(ratio: number | null): string {
  return ratio === null ? 'not comparable' : `x${showNumber(ratio)}`;
}

type Ratios = Readonly<Record<`${'leverage' | 'velocity'}_ratio`, number | null>>;

/** `Leverage x1.5, Velocity x3`, after the ratio of Yields where that is given. */
export function showRatios(found: Ratios & { readonly yield_ratio?: number | null }): string {
  const ratios = `Leverage ${showTimes(found.leverage_ratio)}, Velocity ${showTimes(found.velocity_ratio)}`;
  return found.yield_ratio === undefined ? ratios : `Yield ${showTimes(found.yield_ratio)}, ${ratios}`;
}

/** `1 entry`, `2 entries`. */
export function count(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? noun : plural}`;
}

/** `Yield 90 (Leverage 30, Velocity 3)`. */
export function showScores({
  yield_,
  leverage,
  velocity,
}: Pick<BoardLine, 'yield_' | 'leverage' | 'velocity'>): string {
  return `Yield ${showNumber(yield_)} (Leverage ${showNumber(leverage)}, Velocity ${showNumber(velocity)})`;
}

/**
 * An entry on one line. Display names are left out: their owners write them as they like, and what is read by a model
 * should carry nobody's words.
 */
export function showLine(line: BoardLine): string {
  return `#${line.rank} ${line.codename}: ${showScores(line)}, ${line.class_tier}, ${line.platform}`;
}

/** The same with the places climbed. */
export function showEntry(entry: BoardEntry): string {
  return `${showLine(entry)}; ${showMovements(entry)}`;
}

/** Paragraphs and lists as one text. */
export function joinLines(...lines: ReadonlyArray<string | null>): string {
  return lines.filter((line) => line !== null).join('\n');
}
