import { objectOf, parseJson } from '../json.ts';
import { SKIP_REASONS, type SkipReason } from '../sources/source.ts';
import { skipCounts } from './buckets.ts';
import { DamagedStoreError } from './schema.ts';
import type { RequestCounts } from './usage.ts';

/** Throws when a stored value is no count. */
export function countOf(value: unknown): number {
  if (typeof value !== 'number' || value < 0) throw new DamagedStoreError('a number is no count');
  return value;
}

/** Throws when a stored value is no text. */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new DamagedStoreError('a text is no text');
  return value;
}

export function textOrNull(value: unknown): string | null {
  return value === null ? null : textOf(value);
}

/** A stored JSON array. */
export function listOf(value: unknown): readonly unknown[] {
  const list = typeof value === 'string' ? parseJson(value) : value;
  if (!Array.isArray(list)) throw new DamagedStoreError('a list is no list');
  return list;
}

/** The request of a usage that has only one, whose counts are those of the usage; else each with its counts. */
export function encodeRequests(requests: readonly RequestCounts[]): number | string {
  if (requests.length === 1) return requests[0]!.request;
  return JSON.stringify(
    requests.map((each) => [each.request, each.input, each.output, each.cache_read, each.cache_write]),
  );
}

/** `counts`: those of the usage. */
export function decodeRequests(stored: unknown, counts: readonly unknown[]): RequestCounts[] {
  const requests = typeof stored === 'number' ? [[stored, ...counts]] : listOf(stored);
  return requests.map((each) => {
    const [request, input, output, cache_read, cache_write] = listOf(each);
    return {
      request: countOf(request),
      input: countOf(input),
      output: countOf(output),
      cache_read: countOf(cache_read),
      cache_write: countOf(cache_write),
    };
  });
}

/** Null where nothing was skipped. */
export function encodeSkipped(skipped: Readonly<Record<SkipReason, number>>): string | null {
  return Object.values(skipped).some((count) => count > 0) ? JSON.stringify(skipped) : null;
}

export function decodeSkipped(stored: unknown): Record<SkipReason, number> {
  const skipped = skipCounts();
  if (stored === null) return skipped;
  const counts = objectOf(parseJson(textOf(stored)));
  for (const reason of SKIP_REASONS) skipped[reason] = countOf(counts[reason]);
  return skipped;
}
