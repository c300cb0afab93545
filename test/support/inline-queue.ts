import type { SnapshotQueue } from '../../api/ports.ts';
import type { GroupVerdict, LogEntry, Ranking } from '../../engine/ranking/index.ts';

/**
 * A queue in this process that judges groups with the real engine: at once, or when told to. It stands in for Redis and
 * the workers, which have tests of their own, so that a test can decide what happens between log and verdict.
 */
export class InlineQueue implements SnapshotQueue {
  mode: 'judge' | 'hold' | 'fail' = 'judge';
  waitingGroups = 0;
  readonly held: [group: string, entries: readonly LogEntry[]][] = [];
  readonly enqueued: string[] = [];
  readonly #ranking: Ranking;
  readonly #waiters = new Map<string, Set<(verdict: GroupVerdict | null) => void>>();

  constructor(ranking: Ranking) {
    this.#ranking = ranking;
  }

  async enqueue(group: string, entries: readonly LogEntry[]): Promise<void> {
    if (this.mode === 'fail') throw new Error('the queue is out of reach');
    this.enqueued.push(group);
    if (this.mode === 'hold') this.held.push([group, entries]);
    else await this.#judge(group, entries);
  }

  depth(): number {
    return this.waitingGroups;
  }

  waitForGroup(group: string, signal: AbortSignal): Promise<GroupVerdict | null> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(group) ?? new Set();
      this.#waiters.set(group, waiters.add(resolve));
      signal.addEventListener('abort', () => resolve(null), { once: true });
    });
  }

  /** Judges what was held. */
  async release(): Promise<void> {
    for (const [group, entries] of this.held.splice(0)) await this.#judge(group, entries);
  }

  async #judge(group: string, entries: readonly LogEntry[]): Promise<void> {
    const verdict = await this.#ranking.judgeGroup(group, entries);
    for (const resolve of this.#waiters.get(group) ?? []) resolve(verdict);
    this.#waiters.delete(group);
  }
}
