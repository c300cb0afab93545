import { LIST_FOLLOW_MS } from './limits.ts';
import type { Clock } from './types.ts';

/** A list is asked for changes when it was not for this long, in milliseconds. */
const REFRESH_MS = 1_000;

/** Changes are asked for from this long before the last answer, because writers' clocks differ, in milliseconds. */
const OVERLAP_MS = 60_000;

/**
 * Follows a list that any process may add to. `read` takes into memory what was written since a moment, and may be given the
 * same entries again. The list is read anew, beside requests, when it is older than a second; a request that finds it older
 * than `LIST_FOLLOW_MS` waits for it, and fails when it cannot be read.
 */
export function followList(read: (since: Date, now: number) => Promise<void>, clock: Clock): () => Promise<void> {
  let readAt: number | null = null;
  let reading: Promise<void> | null = null;

  async function readChanges(): Promise<void> {
    const startedAt = clock();
    await read(new Date(readAt === null ? 0 : Math.min(readAt, startedAt) - OVERLAP_MS), startedAt);
    readAt = startedAt;
  }

  function refresh(): Promise<void> {
    reading ??= readChanges().finally(() => {
      reading = null;
    });
    return reading;
  }

  return async () => {
    const age = readAt === null ? Number.POSITIVE_INFINITY : clock() - readAt;
    // A clock that was set back says nothing about how old the list is.
    if (age >= LIST_FOLLOW_MS || age < 0) await refresh();
    // What fails here is tried again by the next request, and waited for once the list is too old.
    else if (age >= REFRESH_MS) void refresh().catch(() => undefined);
  };
}
