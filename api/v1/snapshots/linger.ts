import type { SnapshotQueue } from '../../context/api-context.ts';

/** Longest linger of a batch, in milliseconds. */
const MAX_LINGER_MS = 150;

/**
 * With one batch in progress, the next is written when this share of the average batch time has passed since the last was: it
 * then reaches the workers about when they become idle.
 */
const LINGER_SHARE = 0.8;

/** Weight of the last batch in the moving average of the batch time. */
const LAST_BATCH_WEIGHT = 1 / 8;

/** Milliseconds after which a batch without a verdict no longer counts as in progress. */
const IN_PROGRESS_MS = 2_000;

/** Decides when to write the next batch: while the workers are busy, lingering delays no verdict, and batches grow with the load. */
export type Linger = ReturnType<typeof createLinger>;

export function createLinger(waitForBatch: SnapshotQueue['waitForBatch'], now: () => number = () => performance.now()) {
  let inProgress = 0;
  let lastStart = 0;
  let averageMs = 0;
  let endWait: (() => void) | null = null;

  async function follow(batch: string): Promise<void> {
    inProgress += 1;
    const startedAt = now();
    lastStart = startedAt;
    await waitForBatch(batch, AbortSignal.timeout(IN_PROGRESS_MS)).catch(() => null);
    averageMs += (now() - startedAt - averageMs) * LAST_BATCH_WEIGHT;
    inProgress -= 1;
    endWait?.();
  }

  /** Milliseconds to linger from now on, unless a batch completes first. */
  function lingerMs(): number {
    if (inProgress === 0) return 0;
    if (inProgress > 1) return MAX_LINGER_MS;
    return Math.min(MAX_LINGER_MS, lastStart + averageMs * LINGER_SHARE - now());
  }

  return {
    /** Ends a wait: the next batch is full. */
    end: (): void => endWait?.(),
    /** A batch was logged and is being queued. */
    started: (batch: string): void => void follow(batch),
    /** Resolves when no batch is in progress, the workers are about to be idle, `MAX_LINGER_MS` has passed, or `end` is called. */
    async wait(): Promise<void> {
      const delayMs = lingerMs();
      // The shortest timer is one millisecond.
      if (delayMs < 1) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delayMs);
        endWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      endWait = null;
    },
  };
}
