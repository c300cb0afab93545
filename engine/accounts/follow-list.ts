import { LIST_FOLLOW_MS } from './limits.ts';
import type { Clock } from './types.ts';

/** A list is asked for changes when it was not for this long, in milliseconds. */
const REFRESH_MS = 1_000;

/** Changes are asked for from this long before what is known, because they take a while to be written, in milliseconds. */
const OVERLAP_MS = 60_000;

/** A clock of ours is taken to be ahead by no more than this, in milliseconds; what was written longer ago is known. */
const FAR_AHEAD_MS = 2 * 60 * 60 * 1_000;

/** An entry of a list that is followed. */
export interface ListEntry {
  /** When it was written last: by its writer's clock, and never before what was in the list already. */
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
  /** When the newest entry that was read was written: whatever our clock says, what is new is not much older. */
  let newest = 0;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const now = clock();
    // By a clock that was set back, some may have been forgotten too early.
    const known = readAt === null || readAt > now ? 0 : Math.max(Math.min(newest, readAt), readAt - FAR_AHEAD_MS);
    const entries = await since(new Date(Math.max(0, known - OVERLAP_MS)));
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
