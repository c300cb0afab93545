import type { Counts } from '../../../engine/contract/index.ts';
import type { BatchVerdict, Verdict } from '../../../engine/ranking/index.ts';
import type { SnapshotQueue } from '../../context/api-context.ts';

/** A verdict, with the operator's all-time totals if accepted. */
export interface KnownVerdict {
  readonly verdict: Verdict;
  readonly totals: Counts | null;
}

/** Waits for the verdicts of batches; requests for the same batch share one wait. */
export type VerdictWaits = ReturnType<typeof createVerdictWaits>;

/** A batch's verdicts by entry. */
type Verdicts = ReadonlyMap<string, KnownVerdict>;

interface BatchWait {
  readonly verdicts: Promise<Verdicts | null>;
  readonly abort: AbortController;
  waiters: number;
}

export function createVerdictWaits(waitForBatch: SnapshotQueue['waitForBatch'], onError: (error: unknown) => void) {
  const waits = new Map<string, BatchWait>();
  const deadlineIn = createDeadlines();
  let closed = false;

  const start = (batch: string): BatchWait => {
    const abort = new AbortController();
    const verdicts = waitForBatch(batch, abort.signal).then(
      (verdict) => (verdict === null ? null : byEntry(verdict)),
      (error: unknown) => {
        onError(error);
        return null;
      },
    );
    const wait = { verdicts, abort, waiters: 0 };
    waits.set(batch, wait);
    return wait;
  };

  const leave = (batch: string, wait: BatchWait): void => {
    wait.waiters -= 1;
    if (wait.waiters > 0) return;
    if (waits.get(batch) === wait) waits.delete(batch);
    wait.abort.abort();
  };

  return {
    /** The verdict of an entry in a batch, or null after `waitMs` milliseconds without one. */
    async wait(batch: string, operator: number, jti: string, waitMs: number): Promise<KnownVerdict | null> {
      if (waitMs <= 0 || closed) return null;
      const wait = waits.get(batch) ?? start(batch);
      wait.waiters += 1;
      try {
        const verdicts = await Promise.race([wait.verdicts, deadlineIn(waitMs)]);
        return verdicts?.get(entryKey(operator, jti)) ?? null;
      } finally {
        leave(batch, wait);
      }
    },
    /** Ends every wait without a verdict; later waits end at once. */
    close(): void {
      closed = true;
      for (const { abort } of waits.values()) abort.abort();
    },
  };
}

/** Deadlines are rounded up to a multiple of this many milliseconds, so that concurrent requests share a timer. */
const DEADLINE_STEP_MS = 20;

/** Creates promises that resolve to null after at least the given milliseconds. They do not keep the process alive. */
function createDeadlines(): (waitMs: number) => Promise<null> {
  let newest: { readonly step: number; readonly passed: Promise<null> } | null = null;
  return (waitMs) => {
    const now = performance.now();
    const step = Math.ceil((now + waitMs) / DEADLINE_STEP_MS);
    if (newest?.step === step) return newest.passed;
    const passed = new Promise<null>((resolve) => {
      setTimeout(resolve, step * DEADLINE_STEP_MS - now, null).unref();
    });
    newest = { step, passed };
    return passed;
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
