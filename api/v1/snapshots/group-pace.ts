import type { SnapshotQueue } from '../../ports.ts';

/** Milliseconds for which a group is gathered at most. */
const MAX_GATHER_MS = 60;

/**
 * With one group before the workers, the next is written when this share of the usual time until a verdict has passed since
 * that one was: it then reaches them about when they come to a stop.
 */
const GATHERED_SHARE = 0.3;

/** How much the last group says about the usual time. */
const LAST_GROUP_WEIGHT = 1 / 8;

/** Milliseconds after which a group without a verdict is no longer counted on. */
const COUNTED_ON_MS = 2_000;

/**
 * Says when the next group is worth writing. A group costs the same dozen commands whatever its size: while the workers
 * have enough before them, gathering costs nobody anything, and makes groups large just when there is much to do.
 */
export interface GroupPace {
  /** A group was logged and is on its way to the workers. */
  began(group: string): void;
  /** Resolves at once when nothing is before the workers, else when they will soon want more or a moment has passed. */
  turn(): Promise<void>;
}

export function createGroupPace(
  waitForGroup: SnapshotQueue['waitForGroup'],
  now: () => number = () => performance.now(),
): GroupPace {
  let ahead = 0;
  let lastBegan = 0;
  let usualMs = 0;
  let goOn: (() => void) | null = null;

  async function follow(group: string): Promise<void> {
    ahead += 1;
    const startedAt = now();
    lastBegan = startedAt;
    await waitForGroup(group, AbortSignal.timeout(COUNTED_ON_MS)).catch(() => null);
    usualMs += (now() - startedAt - usualMs) * LAST_GROUP_WEIGHT;
    ahead -= 1;
    goOn?.();
  }

  /** Milliseconds to gather from now on, unless a group is done before. */
  function gatherMs(): number {
    if (ahead === 0) return 0;
    if (ahead > 1) return MAX_GATHER_MS;
    return Math.min(MAX_GATHER_MS, lastBegan + usualMs * GATHERED_SHARE - now());
  }

  return {
    began: (group) => void follow(group),
    async turn() {
      const wait = gatherMs();
      // A timer takes a millisecond at least.
      if (wait < 1) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait);
        goOn = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      goOn = null;
    },
  };
}
