import { LIST_FOLLOW_MS } from './limits.ts';
import type { Clock } from './types.ts';

/** A list is asked for changes when it was not for this long, in milliseconds. */
const REFRESH_MS = 1_000;

/** Changes are asked for from this long before what is known, because writers' clocks differ, in milliseconds. */
const OVERLAP_MS = 60_000;

/** An entry of a list that is followed. */
export interface ListEntry {
  /** When it was written last, by its writer's clock. */
  readonly at: Date;
  readonly expiresAt: Date;
}

/**
 * Follows a list that any process may add to; `since` reads what was written since a moment, `take` is given it, perhaps
 * again. The list is read anew, beside requests, when it is older than a second. A request that finds it older than
 * `LIST_FOLLOW_MS` waits for it, and fails when it cannot be read.
 */
export function followList<Entry extends ListEntry>(
  since: (at: Date) => Promise<readonly Entry[]>,
  take: (entries: readonly Entry[], now: number) => void,
  clock: Clock,
): () => Promise<void> {
  let readAt: number | null = null;
  /** The writing of the newest entry that was read: a clock of ours that was ahead for a while has missed nothing. */
  let newest = 0;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const now = clock();
    const from = Math.min(newest, readAt ?? 0, now) - OVERLAP_MS;
    const entries = await since(new Date(Math.max(0, from)));
    take(entries, now);
    newest = entries.reduce((latest, { at }) => Math.max(latest, at.getTime()), newest);
    readAt = now;
  }

  function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  function age(): number {
    const passed = readAt === null ? Number.POSITIVE_INFINITY : clock() - readAt;
    // A clock that was set back says nothing about how old the list is.
    return passed < 0 ? Number.POSITIVE_INFINITY : passed;
  }

  return async () => {
    if (age() >= LIST_FOLLOW_MS) {
      await refresh();
      // What was under way already may have begun long ago.
      if (age() >= LIST_FOLLOW_MS) await refresh();
    } else if (age() >= REFRESH_MS) {
      // What fails here is tried again by the next request, and waited for once the list is too old.
      void refresh().catch(() => undefined);
    }
  };
}

/** Forgets what has expired. */
export function forgetExpired(entries: Map<unknown, ListEntry>, now: number): void {
  for (const [key, { expiresAt }] of entries) if (expiresAt.getTime() <= now) entries.delete(key);
}
