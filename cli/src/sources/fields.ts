import { type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { isObject } from '../json.ts';

/** A count as logs hold it: a number from 0 to the most that a snapshot can carry. Null when it is anything else. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? value : null;
}

/** A count that may be missing: 0 when absent or null, null when it is no count. */
export function optionalCount(value: unknown): number | null {
  return value === undefined || value === null ? 0 : count(value);
}

/** Non-empty text, or null. */
export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A member that is an object, or null. */
export function member(of: unknown, name: string): Readonly<Record<string, unknown>> | null {
  const value = isObject(of) ? of[name] : undefined;
  return isObject(value) ? value : null;
}

/** A moment in milliseconds, from ISO text or a number of milliseconds; null when it is none. */
export function moment(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : value;
  return typeof at === 'number' && Number.isFinite(at) && at > 0 ? at : null;
}

/** Four counts of which each may be missing; null when one of them is no count. */
export function fourCounts(input: unknown, output: unknown, cacheRead: unknown, cacheWrite: unknown): Counts | null {
  const counts = [input, output, cacheRead, cacheWrite].map(optionalCount);
  const [known = null, made = null, read = null, written = null] = counts;
  if (known === null || made === null || read === null || written === null) return null;
  return { input: known, output: made, cache_read: read, cache_write: written };
}

/** Whether any token was counted. */
export function isAny(counts: Counts): boolean {
  return counts.input + counts.output + counts.cache_read + counts.cache_write > 0;
}
