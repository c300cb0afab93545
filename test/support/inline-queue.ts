import type { SnapshotQueue } from '../../api/context/api-context.ts';
import type { BatchVerdict, LogEntry, Ranking } from '../../engine/ranking/index.ts';

/**
 * A queue in this process that processes batches with the real engine, immediately or on request. It replaces Redis and
 * the workers, which have separate tests, so that a test controls what happens between log and verdict.
 */
export class InlineQueue implements SnapshotQueue {
  mode: 'judge' | 'hold' | 'fail' = 'judge';
  waitingSnapshots = 0;
  readonly held: [batch: string, entries: readonly LogEntry[]][] = [];
  readonly enqueued: string[] = [];
  readonly #ranking: Ranking;
  readonly #waiters = new Map<string, Set<(verdict: BatchVerdict | null) => void>>();

  constructor(ranking: Ranking) {
    this.#ranking = ranking;
  }

  async enqueue(batch: string, entries: readonly LogEntry[]): Promise<void> {
    if (this.mode === 'fail') throw new Error('the queue is out of reach');
    this.enqueued.push(batch);
    if (this.mode === 'hold') this.held.push([batch, entries]);
    else await this.#judge(batch, entries);
  }

  waitingEntries(): number {
    return this.waitingSnapshots;
  }

  readonly waitForBatch = (batch: string, signal: AbortSignal): Promise<BatchVerdict | null> =>
    new Promise((resolve) => {
      const waiters = this.#waiters.get(batch) ?? new Set();
      this.#waiters.set(batch, waiters.add(resolve));
      signal.addEventListener('abort', () => resolve(null), { once: true });
    });

  /** Processes the pending batches. */
  async release(): Promise<void> {
    for (const [batch, entries] of this.held.splice(0)) await this.#judge(batch, entries);
  }

  async #judge(batch: string, entries: readonly LogEntry[]): Promise<void> {
    const verdict = await this.#ranking.processBatch(batch, entries);
    for (const resolve of this.#waiters.get(batch) ?? []) resolve(verdict);
    this.#waiters.delete(batch);
  }
}
