import { type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { isObject } from '../json.ts';

/** A count of a log: a number from 0 to the maximum of a snapshot; null for anything else. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? value : null;
}

/** A count that may be missing: 0 when absent or null, null when it is not a count. */
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

/** A moment in milliseconds since the epoch, from ISO text or a number of milliseconds; null for anything else. */
export function moment(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : value;
  return typeof at === 'number' && Number.isFinite(at) && at > 0 ? at : null;
}

/** Four counts, each of which may be missing; null when one of them is not a count. */
export function fourCounts(input: unknown, output: unknown, cacheRead: unknown, cacheWrite: unknown): Counts | null {
  const counts = [input, output, cacheRead, cacheWrite].map(optionalCount);
  const [inputTokens = null, outputTokens = null, read = null, written = null] = counts;
  if (inputTokens === null || outputTokens === null || read === null || written === null) return null;
  return { input: inputTokens, output: outputTokens, cache_read: read, cache_write: written };
}

export function hasAnyTokens(counts: Counts): boolean {
  return counts.input + counts.output + counts.cache_read + counts.cache_write > 0;
}
