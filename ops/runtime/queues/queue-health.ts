import { LIMITS } from '../../../config/limits.ts';
import { singleFlight } from '../../../config/single-flight.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { QueueMetrics } from '../telemetry/index.ts';
import { QUEUE_NAMES } from './catalog.ts';
import type { Queues } from './open-queues.ts';

const POLL_MS = 1_000;

/** Counts the log entries of a batch and of all later ones. */
export type CountEntriesFrom = (batch: string) => Promise<number>;

/**
 * Polls the queues once a second. A job of `ingest` is a batch of one entry or of several hundred, so what waits there is
 * counted in entries of the log, from the batch that waits longest on.
 */
export function watchQueues(
  queues: Queues,
  metrics: QueueMetrics,
  onError: (error: unknown) => void,
  countEntriesFrom: CountEntriesFrom | null = null,
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
      if (name === 'ingest' && countEntriesFrom !== null) {
        // An old batch that was queued again may wait in front of a few new ones.
        const most = waiting * LIMITS.ingest.snapshotsPerBatch;
        waitingEntries = oldest?.id === undefined ? 0 : Math.min(most, await countEntriesFrom(oldest.id));
      }
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
