import type { SnapshotQueue } from '../../context/api-context.ts';

/** Longest linger of a batch, in milliseconds. */
const MAX_LINGER_MS = 60;

/** Milliseconds after which a batch without a verdict no longer counts as in progress. */
const IN_PROGRESS_MS = 2_000;

/**
 * Decides when to write the next batch: when one completes, while any is in progress. A batch costs the same dozen commands
 * whatever its size: while the workers are busy, lingering delays no verdict, and batches grow with the load.
 */
export type Linger = ReturnType<typeof createLinger>;

export function createLinger(waitForBatch: SnapshotQueue['waitForBatch']) {
  let inProgress = 0;
  let endWait: (() => void) | null = null;

  async function follow(batch: string): Promise<void> {
    inProgress += 1;
    await waitForBatch(batch, AbortSignal.timeout(IN_PROGRESS_MS)).catch(() => null);
    inProgress -= 1;
    endWait?.();
  }

  return {
    /** A batch was logged and is being queued. */
    started: (batch: string): void => void follow(batch),
    /** Resolves at once when no batch is in progress, else when one completes or `MAX_LINGER_MS` has passed. */
    async wait(): Promise<void> {
      if (inProgress === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, MAX_LINGER_MS);
        endWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      endWait = null;
    },
  };
}
