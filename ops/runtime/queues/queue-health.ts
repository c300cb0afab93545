import { singleFlight } from '../../../config/single-flight.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { QueueMetrics } from '../telemetry/index.ts';
import { QUEUE_NAMES } from './catalog.ts';
import type { Queues } from './open-queues.ts';

const POLL_MS = 1_000;

/** Polls the queues once a second. */
export function watchQueues(queues: Queues, metrics: QueueMetrics, onError: (error: unknown) => void) {
  let depth = 0;
  const joinPoll = singleFlight<void>();

  async function poll(): Promise<void> {
    for (const name of QUEUE_NAMES) {
      const counts = await queues[name].getJobCounts('waiting', 'active', 'delayed', 'failed');
      const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
      const [oldest] = waiting === 0 ? [] : await queues[name].getJobs(['waiting'], 0, 0, true);
      const waited = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp) / MS_PER_SECOND;
      metrics.holds(name, { waiting, active, delayed, failed }, waited);
      if (name === 'ingest') depth = waiting + active + delayed;
    }
  }

  const timer = setInterval(() => void joinPoll(poll).catch(onError), POLL_MS);
  return {
    /** Batches waiting, active or delayed at the last poll. */
    depth: () => depth,
    async close(): Promise<void> {
      clearInterval(timer);
      await joinPoll.settled();
    },
  };
}
