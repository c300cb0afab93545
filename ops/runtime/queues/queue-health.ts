import type { Queue } from 'bullmq';
import { singleFlight } from '../../../config/single-flight.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { QueueMetrics } from '../telemetry/index.ts';
import { QUEUE_NAMES } from './catalog.ts';
import type { Queues } from './open-queues.ts';

const POLL_MS = 1_000;

/** Jobs at each end of a queue whose entries are counted: together they may have as many as submissions are refused for. */
const SAMPLED_JOBS = 64;

/**
 * Polls the queues once a second. A job of `ingest` is a batch of one entry or of several hundred, so what waits there is
 * counted in entries of the log by `countEntriesIn`: all when few jobs wait, otherwise as many in each as at both ends of the queue.
 */
export function watchQueues(
  queues: Queues,
  metrics: QueueMetrics,
  onError: (error: unknown) => void,
  countEntriesIn: ((batches: readonly string[]) => Promise<number>) | null = null,
) {
  let waitingEntries = 0;
  const joinPoll = singleFlight<void>();

  async function poll(): Promise<void> {
    for (const name of QUEUE_NAMES) {
      const counts = await queues[name].getJobCounts('waiting', 'active', 'delayed', 'failed');
      const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
      const [oldest] = waiting === 0 ? [] : await queues[name].getJobs(['waiting'], 0, 0, true);
      const waited = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp) / MS_PER_SECOND;
      metrics.holds(name, { waiting, active, delayed, failed }, waited);
      if (name === 'ingest' && countEntriesIn !== null)
        waitingEntries = await entriesIn(queues[name], waiting, countEntriesIn);
    }
  }

  const timer = setInterval(() => void joinPoll(poll).catch(onError), POLL_MS);
  return {
    /** Entries of the log that waited for a worker at the last poll. */
    waitingEntries: () => waitingEntries,
    async close(): Promise<void> {
      clearInterval(timer);
      await joinPoll.settled();
    },
  };
}

async function entriesIn(queue: Queue, waiting: number, count: (batches: readonly string[]) => Promise<number>) {
  const ends = await Promise.all([true, false].map((asc) => queue.getRanges(['waiting'], 0, SAMPLED_JOBS - 1, asc)));
  const batches = [...new Set(ends.flat())];
  return batches.length === 0 ? 0 : (await count(batches)) * Math.max(1, waiting / batches.length);
}
