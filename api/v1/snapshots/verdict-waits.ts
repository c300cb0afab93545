import type { JudgedTotals } from '../../../engine/contract/snapshot.ts';
import type { BatchVerdict, Verdict } from '../../../engine/ranking/index.ts';
import type { SnapshotQueue } from '../../context/api-context.ts';

/** A verdict, with the operator's all-time totals if accepted. */
export interface KnownVerdict {
  readonly verdict: Verdict;
  readonly totals: JudgedTotals | null;
}

/** Waits for the verdicts of batches; requests for the same batch share one wait. */
export type VerdictWaits = ReturnType<typeof createVerdictWaits>;

/** A batch's verdicts by entry. */
type Verdicts = ReadonlyMap<string, KnownVerdict>;

interface BatchWait {
  readonly abort: AbortController;
  /** Each is called once; with null when there is no verdict. */
  readonly waiters: Set<(verdicts: Verdicts | null) => void>;
}

export function createVerdictWaits(waitForBatch: SnapshotQueue['waitForBatch'], onError: (error: unknown) => void) {
  const waits = new Map<string, BatchWait>();
  let closed = false;

  async function end(batch: string, wait: BatchWait): Promise<void> {
    let verdicts: Verdicts | null = null;
    try {
      const verdict = await waitForBatch(batch, wait.abort.signal);
      if (verdict !== null) verdicts = byEntry(verdict);
    } catch (error) {
      onError(error);
    }
    for (const waiter of wait.waiters) waiter(verdicts);
  }

  const start = (batch: string): BatchWait => {
    const wait: BatchWait = { abort: new AbortController(), waiters: new Set() };
    waits.set(batch, wait);
    void end(batch, wait);
    return wait;
  };

  const leave = (batch: string, wait: BatchWait): void => {
    if (wait.waiters.size > 0) return;
    if (waits.get(batch) === wait) waits.delete(batch);
    wait.abort.abort();
  };

  return {
    /** The verdict of an entry in a batch, or null after `waitMs` milliseconds without one. */
    wait(batch: string, operator: number, jti: string, waitMs: number): Promise<KnownVerdict | null> {
      if (waitMs <= 0 || closed) return Promise.resolve(null);
      const wait = waits.get(batch) ?? start(batch);
      // No `Promise.race` with a shared deadline: until that settles, it keeps the result of every race.
      return new Promise((resolve) => {
        const waiter = (verdicts: Verdicts | null): void => {
          clearTimeout(timer);
          wait.waiters.delete(waiter);
          leave(batch, wait);
          resolve(verdicts?.get(entryKey(operator, jti)) ?? null);
        };
        const timer = setTimeout(waiter, waitMs, null).unref();
        wait.waiters.add(waiter);
      });
    },
    /** Ends every wait without a verdict; later waits end at once. */
    close(): void {
      closed = true;
      for (const { abort } of waits.values()) abort.abort();
    },
  };
}

function byEntry({ verdicts, totals }: BatchVerdict): Verdicts {
  const totalsOf = new Map(totals);
  return new Map(
    verdicts.map((verdict) => [
      entryKey(verdict.operator, verdict.jti),
      { verdict, totals: verdict.accepted ? (totalsOf.get(verdict.operator) ?? null) : null },
    ]),
  );
}

function entryKey(operator: number, jti: string): string {
  return `${operator}/${jti}`;
}
