import { type Counts, countsAt, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Origin, UsageSink } from './source.ts';

/** A count of a log: a whole number from 0 to the maximum of a snapshot; null for anything else. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : null;
}

/** In place of an absent value: a count that is not optional. */
export function required(value: unknown): unknown {
  return value ?? Number.NaN;
}

/** Counts, each of which is 0 when absent or null; null when one of them is not a count. */
export function readCounts<Values extends readonly unknown[]>(
  ...values: Values
): { readonly [Index in keyof Values]: number } | null;
export function readCounts(...values: readonly unknown[]): readonly number[] | null {
  const counts: number[] = [];
  for (const value of values) {
    const read = count(value ?? 0);
    if (read === null) return null;
    counts.push(read);
  }
  return counts;
}

/** The four counts of a snapshot, as `readCounts` reads them. */
export function fourCounts(...values: readonly [unknown, unknown, unknown, unknown]): Counts | null {
  const counts = readCounts(...values);
  return counts && countsAt(counts);
}

/** A member that is an object, or null. */
export function member(of: unknown, name: string): JsonObject | null {
  const value = isObject(of) ? of[name] : undefined;
  return isObject(value) ? value : null;
}

/** The first moment after those that the store can hold, which has 32 bits for seconds. In milliseconds since the epoch. */
const END_OF_TIME = 2 ** 32 * 1000;

/** A moment in milliseconds since the epoch, from ISO text or a number of milliseconds; null for anything else. */
export function moment(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : value;
  return typeof at === 'number' && at > 0 && at < END_OF_TIME ? at : null;
}

/** Whether a text is a day of the calendar, such as `2026-05-31`. `Date.parse` reads 30 February as 2 March. */
export function isDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
}

/** The day, as `2026-05-31`, that such a text, `20260531`, `today`, `yesterday` or `7d` (so many days ago) names; null for any other. */
export function readDay(text: string, today: number): string | null {
  const ago = ['today', 'yesterday'].indexOf(text);
  const days = ago === -1 ? Number(/^(\d{1,5})d$/.exec(text)?.[1] ?? Number.NaN) : ago;
  const day = Number.isNaN(days)
    ? text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
    : new Date((today - days) * 86_400_000).toISOString().slice(0, 10);
  return isDay(day) ? day : null;
}

/** Whether counts are valid and all zero. */
export function hasNoTokens(counts: Counts | null): boolean {
  return counts !== null && counts.input + counts.output + counts.cache_read + counts.cache_write === 0;
}

/** Adds a record that is identified by any of these keys, or reports why it is skipped. Ignores a record without tokens. */
export function addUsage(
  sink: UsageSink,
  counts: Counts | null,
  keys: ReadonlyArray<string | null>,
  at: number | null,
  origin?: Origin,
): void {
  const known = keys.filter((key) => key !== null);
  if (counts === null) sink.skip('invalid_counts');
  else if (known.length === 0) sink.skip('no_identity');
  else if (!hasNoTokens(counts)) sink.add({ keys: known, request: null, counts, at, origin });
}
