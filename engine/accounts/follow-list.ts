import { singleFlight } from '../../config/single-flight.ts';
import { LIST_FOLLOW_MS } from './limits.ts';
import type { ListDocument } from './mongo/models.ts';

/** Minimum interval between two reads of a list, in milliseconds. */
const REFRESH_MS = 1_000;

/** Each read overlaps the previous one by this much, because an entry becomes visible after its timestamp, in milliseconds. */
const OVERLAP_MS = 60_000;

/** Upper bound on how far a writer's clock is ahead of this one, in milliseconds: older entries have been read. */
const FAR_AHEAD_MS = 2 * 60 * 60 * 1_000;

/**
 * Follows a list that any process may add to. `since` reads the entries written since a time; `supersedes` decides whether an
 * entry that was read, possibly again, replaces the known one. A list read more than a second ago is read again in the background. A request that finds it older than
 * `LIST_FOLLOW_MS` waits for the read, and fails when the read fails.
 */
export function followList<Entry extends ListDocument<unknown>>(
  since: (at: Date) => Promise<readonly Entry[]>,
  clock: () => number,
  supersedes: (entry: Entry, known: Entry) => boolean = () => true,
) {
  const entries = new Map<Entry['_id'], Entry>();
  let readAt: number | null = null;
  /** Timestamp of the newest entry read, in milliseconds. New entries are not much older, whatever this process's clock says. */
  let newest = 0;
  const joinRead = singleFlight<void>();

  async function read(): Promise<void> {
    const now = clock();
    // When this clock was set back, entries may have been dropped too early: read all of them.
    const known = readAt === null || readAt > now ? 0 : Math.max(Math.min(newest, readAt), readAt - FAR_AHEAD_MS);
    const found = await since(new Date(Math.max(0, known - OVERLAP_MS)));
    found.forEach(keep);
    for (const [id, { expires_at }] of entries) if (expires_at.getTime() <= now) entries.delete(id);
    newest = found.reduce((latest, { at }) => Math.max(latest, at.getTime()), newest);
    readAt = now;
  }

  /** Adds an entry that this process wrote. */
  function keep(entry: Entry): void {
    const known = entries.get(entry._id);
    if (known === undefined || supersedes(entry, known)) entries.set(entry._id, entry);
  }

  const refresh = (): Promise<void> => joinRead(read);

  function age(): number {
    const passed = readAt === null ? Number.POSITIVE_INFINITY : clock() - readAt;
    // When the clock was set back, the age of the list is unknown.
    return passed < 0 ? Number.POSITIVE_INFINITY : passed;
  }

  /** Whether the list is as recent as promised. */
  function isRecent(): boolean {
    const passed = age();
    if (passed >= LIST_FOLLOW_MS) return false;
    // The next request retries a failed read, and waits for it once the list is too old.
    if (passed >= REFRESH_MS) void refresh().catch(() => undefined);
    return true;
  }

  /** The unexpired entries, as recent as promised. */
  async function follow(): Promise<ReadonlyMap<Entry['_id'], Entry>> {
    if (isRecent()) return entries;
    await refresh();
    // The read that this call joined may have begun before the list was too old.
    if (!isRecent()) await refresh();
    return entries;
  }

  return { follow, keep };
}
