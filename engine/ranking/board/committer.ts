import type { RankingContext } from '../context.ts';
import { randomId } from '../storage/unique-id.ts';
import { commitBoard } from './commit-board.ts';
import { compactBoard, isCompactionDue } from './compact-board.ts';
import { mergeBoardSegments } from './merge-segments.ts';
import { createPublishedBoardSource, type PublishedBoard } from './published-board.ts';

const LEASE = 'committer';
/** How long others wait after a committer dies. */
const LEASE_MS = 5_000;
/** The age of its lease at which the holder renews it; under load, commits follow each other faster. */
const RENEWAL_AGE_MS = 1_000;

export type Committer = ReturnType<typeof createCommitter>;

/** Publishes board versions. One process holds the lease: two are safe, but slow each other down. */
export function createCommitter(
  context: RankingContext,
  onPublished: (version: number) => void,
  onError: (error: unknown) => void,
) {
  const holder = randomId();
  const source = createPublishedBoardSource(context);
  let board: PublishedBoard | null = null;
  let compaction: Promise<unknown> | null = null;
  /** When this process last acquired or renewed the lease; NaN while it does not hold it. */
  let leasedAt = Number.NaN;

  async function holdsLease(): Promise<boolean> {
    const now = context.clock();
    const age = now - leasedAt;
    if (age >= 0 && age < RENEWAL_AGE_MS) return true;
    const held = await context.stores.leases.acquire(LEASE, holder, new Date(now), new Date(now + LEASE_MS));
    leasedAt = held ? now : Number.NaN;
    return held;
  }

  /** Compaction runs concurrently with commits: both publish by compare-and-set. */
  function compactWhenDue({ state }: PublishedBoard): void {
    if (compaction !== null || !isCompactionDue(state)) return;
    compaction = compactBoard(context)
      .catch(onError)
      .finally(() => {
        compaction = null;
      });
  }

  return {
    /** Commits the oldest dirty sets if this process holds or acquires the lease. Returns whether more are waiting. */
    async tick(): Promise<boolean> {
      if (!(await holdsLease())) {
        board = null;
        return false;
      }
      const result = await commitBoard(context, source, board);
      board = result.board;
      const version = board.state.manifest.version;
      if (result.outcome === 'published') {
        onPublished(version);
        board = await mergeBoardSegments(context, board);
      }
      compactWhenDue(board);
      return result.outcome !== 'idle' && result.more;
    },
    /** Waits for a running compaction and releases the lease. */
    async close(): Promise<void> {
      await compaction;
      leasedAt = Number.NaN;
      await context.stores.leases.release(LEASE, holder);
    },
  };
}
