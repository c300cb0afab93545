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

/** A movement with its sign: positive is a climb, and null that there was no rank then to compare with. */
export function showMovement(places: number | null | undefined): string {
  if (places === null || places === undefined) return 'no rank then';
  return places > 0 ? `+${places}` : String(places);
}

/** `x1.5`: what one number is times another. Null where that is no number. */
export function showTimes(ratio: number | null): string {
  return ratio === null ? 'not comparable' : `x${showNumber(ratio)}`;
}

/** `1 entry`, `2 entries`. */
export function count(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? noun : plural}`;
}
