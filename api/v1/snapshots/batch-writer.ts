import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../../../config/limits.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { AppendOutcome, LogEntry } from '../../../engine/ranking/index.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { Problem } from '../../http/problem.ts';
import { createLinger, type Linger } from './linger.ts';

/** Writes entries of concurrent requests in one insert. */
export type BatchWriter = ReturnType<typeof createBatchWriter>;

export interface BatchContext extends Pick<ApiContext, 'queue'> {
  readonly ranking: { readonly log: Pick<ApiContext['ranking']['log'], 'append'> };
  readonly metrics: { readonly ingest: Pick<ApiContext['metrics']['ingest'], 'logged'> };
  readonly log: Pick<ApiContext['log'], 'warn'>;
}

/** Limits of a writer; tests lower them. */
export interface BatchLimits {
  /** Largest batch, in entries. */
  readonly maxBatch?: number;
  /** Most entries that may wait during an insert. */
  readonly maxWaiting?: number;
  readonly linger?: Linger;
}

interface Waiting {
  readonly entry: LogEntry;
  readonly resolve: (outcome: AppendOutcome) => void;
  readonly reject: (problem: Problem) => void;
}

/** Milliseconds that a drain waits for batches to be queued. */
const MAX_ENQUEUE_DRAIN_MS = 2_000;

/** Retry-After of a refused entry, in seconds. */
const RETRY_AFTER_SECONDS = 2;

/** One insert is in flight at a time; entries that arrive meanwhile form the next batch. A single entry does not wait. */
export function createBatchWriter(ctx: BatchContext, limits: BatchLimits = {}) {
  const { maxBatch = LIMITS.ingest.snapshotsPerBatch, maxWaiting = LIMITS.ingest.backlogEntries } = limits;
  const { linger = createLinger(ctx.queue.waitForBatch) } = limits;
  let queue: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let draining = false;
  const enqueues = new Set<Promise<void>>();

  const writeAll = async (): Promise<void> => {
    // Wait one turn of the event loop, so that requests read together join the first batch.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      if (queue.length < maxBatch && !draining) await linger.wait();
      const batch = queue.slice(0, maxBatch);
      queue = queue.slice(batch.length);
      const stored = await writeBatch(batch, ctx);
      if (stored === null) continue;
      linger.started(stored.batch);
      const enqueue = enqueueBatch(stored, ctx).finally(() => enqueues.delete(enqueue));
      enqueues.add(enqueue);
    }
    writing = null;
  };

  return {
    /** Appends an entry to a batch. Rejects with storage_unavailable or backlog_full: the snapshot is then not acknowledged. */
    append(entry: LogEntry): Promise<AppendOutcome> {
      if (draining) return Promise.reject(backlogFull('The service is stopping.'));
      if (queue.length >= maxWaiting)
        return Promise.reject(backlogFull('Too many snapshots are waiting to be written.'));
      const written = new Promise<AppendOutcome>((resolve, reject) => {
        queue.push({ entry, resolve, reject });
      });
      if (queue.length === maxBatch) linger.end();
      writing ??= writeAll();
      return written;
    },
    /** Entries that wait for an insert. */
    waiting: () => queue.length,
    /** Refuses new entries, and waits until the accepted ones are written and queued. */
    async drain(): Promise<void> {
      draining = true;
      await writing;
      // Without Redis a job may never be queued; reconciliation of the log finds the batch later.
      const timeout = new AbortController();
      await Promise.race([Promise.all(enqueues), pause(MAX_ENQUEUE_DRAIN_MS, null, { signal: timeout.signal })]);
      timeout.abort();
    },
  };
}

export function backlogFull(detail: string): Problem {
  return new Problem('backlog_full', { detail, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } });
}

/** The newly logged entries of one insert, with their batch. */
interface StoredBatch {
  readonly batch: string;
  readonly entries: readonly LogEntry[];
}

/** Writes one batch and settles the promise of each entry. Null when nothing new was stored. */
async function writeBatch(
  waiting: readonly Waiting[],
  { ranking, metrics }: BatchContext,
): Promise<StoredBatch | null> {
  const startedAt = performance.now();
  let outcomes: readonly AppendOutcome[] = [];
  let cause: unknown = null;
  try {
    outcomes = await ranking.log.append(waiting.map(({ entry }) => entry));
    metrics.ingest.logged(waiting.length, (performance.now() - startedAt) / MS_PER_SECOND);
  } catch (error) {
    cause = error;
  }
  let batch: string | null = null;
  const entries: LogEntry[] = [];
  waiting.forEach(({ entry, resolve, reject }, index) => {
    const outcome = outcomes[index];
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

/** Queues a logged batch. A failure is only reported: reconciliation of the log finds the batch later. */
async function enqueueBatch({ batch, entries }: StoredBatch, { queue, log }: BatchContext): Promise<void> {
  try {
    await queue.enqueue(batch, entries);
  } catch (error) {
    log.warn({ err: error, batch }, 'a logged batch could not be queued');
  }
}
