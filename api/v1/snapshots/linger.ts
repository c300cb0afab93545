import type { SnapshotQueue } from '../../ports.ts';

/** Milliseconds for which a group is gathered at most. */
const MAX_LINGER_MS = 60;

/**
 * With one group before the workers, the next is written when this share of the usual time until a verdict has passed since
 * that one was: it then reaches them about when they come to a stop.
 */
const GATHERED_SHARE = 0.3;

/** How much the last group says about the usual time. */
const LAST_BATCH_WEIGHT = 1 / 8;

/** Milliseconds after which a group without a verdict is no longer counted on. */
const COUNTED_ON_MS = 2_000;

/**
 * Says when the next group is worth writing. A group costs the same dozen commands whatever its size: while the workers
 * have enough before them, gathering costs nobody anything, and makes groups large just when there is much to do.
 */
export interface Linger {
  /** A group was logged and is on its way to the workers. */
  began(batch: string): void;
  /** Resolves at once when nothing is before the workers, else when they will soon want more or a moment has passed. */
  turn(): Promise<void>;
}

export function createLinger(
  waitForBatch: SnapshotQueue['waitForBatch'],
  now: () => number = () => performance.now(),
): Linger {
  let ahead = 0;
  let lastBegan = 0;
  let usualMs = 0;
  let resumePurchase: (() => void) | null = null;

  async function follow(batch: string): Promise<void> {
    ahead += 1;
    const startedAt = now();
    lastBegan = startedAt;
    await waitForBatch(batch, AbortSignal.timeout(COUNTED_ON_MS)).catch(() => null);
    usualMs += (now() - startedAt - usualMs) * LAST_BATCH_WEIGHT;
    ahead -= 1;
    resumePurchase?.();
  }

  /** Milliseconds to gather from now on, unless a group is done before. */
  function lingerMs(): number {
    if (ahead === 0) return 0;
    if (ahead > 1) return MAX_LINGER_MS;
    return Math.min(MAX_LINGER_MS, lastBegan + usualMs * GATHERED_SHARE - now());
  }

  return {
    began: (batch) => void follow(batch),
    async turn() {
      const wait = lingerMs();
      // A timer takes a millisecond at least.
      if (wait < 1) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait);
        resumePurchase = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      resumePurchase = null;
    },
  };
}
