import { setTimeout as pause } from 'node:timers/promises';
import type { AppendOutcome, LogEntry } from '../../../engine/ranking/index.ts';
import { Problem } from '../../http/problem.ts';
import type { ApiPorts, SnapshotLog, SnapshotQueue } from '../../ports.ts';
import type { Linger } from './linger.ts';

/** Writes the entries of requests that arrive together in one insert. */
export interface BatchWriter {
  /** Appends an entry with others. Rejects with storage_unavailable or backlog_full; then it was not acknowledged. */
  submit(entry: LogEntry): Promise<AppendOutcome>;
  /** Entries that wait for their turn. */
  waiting(): number;
  /** Refuses what comes from now on, and waits until everything taken was written and queued. */
  drain(): Promise<void>;
}

export interface BatchWriterOptions {
  readonly append: SnapshotLog['append'];
  readonly enqueue: SnapshotQueue['enqueue'];
  readonly pace: Linger;
  /** Entries written together at most. */
  readonly maxBatch: number;
  /** Entries that may wait while an insert is under way. */
  readonly maxWaiting: number;
  readonly metrics: Pick<ApiPorts['metrics']['ingest'], 'logged'>;
  /** Told when a group that is in the log could not be queued: its entries stay pending until they are found again. */
  readonly onEnqueueError: (batch: string, error: unknown) => void;
}

interface Waiting {
  readonly entry: LogEntry;
  readonly resolve: (outcome: AppendOutcome) => void;
  readonly reject: (problem: Problem) => void;
}

/** Milliseconds that a drain waits for groups to be queued. */
const MAX_ENQUEUE_DRAIN_MS = 2_000;

/** Seconds after which a client whose entry found no room should try again. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Makes a group writer. One insert is in flight at a time, and what arrives meanwhile is the next group: alone, an
 * entry waits for nothing, and under load groups grow by themselves, the more so as the pace lets them gather.
 */
export function createBatchWriter(options: BatchWriterOptions): BatchWriter {
  let queue: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let draining = false;
  const enqueues = new Set<Promise<void>>();

  const writeAll = async (): Promise<void> => {
    // One turn of the event loop lets the requests that were read together join the first group.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      if (queue.length < options.maxBatch && !draining) await options.pace.turn();
      const batch = queue.slice(0, options.maxBatch);
      queue = queue.slice(batch.length);
      const stored = await writeBatch(batch, options);
      if (stored === null) continue;
      options.pace.began(stored.batch);
      track(enqueues, enqueueBatch(stored, options));
    }
    writing = null;
  };

  return {
    submit(entry) {
      if (draining) return Promise.reject(backlogFull('The service is stopping.'));
      if (queue.length >= options.maxWaiting)
        return Promise.reject(backlogFull('Too many snapshots wait to be written.'));
      const written = new Promise<AppendOutcome>((resolve, reject) => {
        queue.push({ entry, resolve, reject });
      });
      writing ??= writeAll();
      return written;
    },
    waiting: () => queue.length,
    async drain() {
      draining = true;
      await writing;
      // Without Redis a job may never be taken, and the group is found again later in any case.
      const patience = new AbortController();
      await Promise.race([Promise.all(enqueues), pause(MAX_ENQUEUE_DRAIN_MS, null, { signal: patience.signal })]);
      patience.abort();
    },
  };
}

/** The problem of a submission that finds no room. */
export function backlogFull(detail: string): Problem {
  return new Problem('backlog_full', { detail, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } });
}

/** The entries of one insert that are in the log now, under the group that it made. */
interface StoredBatch {
  readonly batch: string;
  readonly entries: readonly LogEntry[];
}

/** Writes one group and tells everyone in it what became of their entry. Null when nothing new was stored. */
async function writeBatch(waiting: readonly Waiting[], options: BatchWriterOptions): Promise<StoredBatch | null> {
  const startedAt = performance.now();
  let outcomes: readonly AppendOutcome[] | null = null;
  let cause: unknown = null;
  try {
    outcomes = await options.append(waiting.map(({ entry }) => entry));
  } catch (error) {
    cause = error;
  }
  if (outcomes !== null) options.metrics.logged(waiting.length, (performance.now() - startedAt) / 1000);
  let batch: string | null = null;
  const entries: LogEntry[] = [];
  waiting.forEach(({ entry, resolve, reject }, index) => {
    const outcome = outcomes?.[index];
    if (outcome === undefined) {
      reject(new Problem('storage_unavailable', { detail: 'The snapshot could not be logged.', cause }));
      return;
    }
    if (outcome.kind === 'stored') {
      batch = outcome.batch;
      entries.push(entry);
    }
    resolve(outcome);
  });
  return batch === null ? null : { batch, entries };
}

/** Queues a group. It is in the log, so a failure takes back nothing: it is reported, and found again later. */
async function enqueueBatch({ batch, entries }: StoredBatch, options: BatchWriterOptions): Promise<void> {
  try {
    await options.enqueue(batch, entries);
  } catch (error) {
    options.onEnqueueError(batch, error);
  }
}

function track(running: Set<Promise<void>>, task: Promise<void>): void {
  running.add(task);
  void task.finally(() => running.delete(task));
}
