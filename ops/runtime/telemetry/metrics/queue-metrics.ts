import type { Registry } from 'prom-client';
import { defineMetrics, WAITING_SECONDS } from './define-metrics.ts';

/** Metrics of jobs and queues. `queue` and `job` are names of the job catalog. */
export type QueueMetrics = ReturnType<typeof createQueueMetrics>;

export function createQueueMetrics(registry: Registry) {
  const { counter, gauge, histogram } = defineMetrics(registry);
  const waits = histogram('upsilon_job_wait_seconds', 'Time a job waited in its queue', WAITING_SECONDS, 'job_name');
  const runs = histogram('upsilon_job_run_seconds', 'Time a job ran', WAITING_SECONDS, 'job_name');
  const ends = counter('upsilon_jobs_total', 'Job runs by outcome', 'job_name', 'outcome');
  // Created with 0: an alert uses `increase()`, which does not see the first count of a new series.
  ends.inc({ job_name: 'unknown', outcome: 'left' }, 0);
  const depth = gauge('upsilon_queue_jobs', 'Jobs in a queue', 'queue', 'state');
  const oldest = gauge('upsilon_queue_oldest_waiting_seconds', 'Age of the oldest waiting job of a queue', 'queue');
  return {
    started: (job: string, waitedSeconds: number) => waits.observe({ job_name: job }, waitedSeconds),
    /** `left`: the job type is of a newer version, and the job was requeued for workers that know it. */
    ended(job: string, outcome: 'completed' | 'failed' | 'retried' | 'left', ranSeconds: number) {
      runs.observe({ job_name: job }, ranSeconds);
      ends.inc({ job_name: job, outcome });
    },
    /** The contents of a queue at the last check. `oldestSeconds` is 0 when no job waits. */
    holds(
      queue: string,
      jobs: { waiting: number; active: number; delayed: number; failed: number },
      oldestSeconds: number,
    ) {
      for (const [state, count] of Object.entries(jobs)) depth.set({ queue, state }, count);
      oldest.set({ queue }, oldestSeconds);
    },
  };
}
