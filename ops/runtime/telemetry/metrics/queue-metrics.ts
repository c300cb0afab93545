import type { Registry } from 'prom-client';
import { MS_PER_SECOND } from '../../../../config/units.ts';
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

/** Metrics of scheduled jobs. `job` is a name of the job catalog. */
export type ScheduleMetrics = ReturnType<typeof createScheduleMetrics>;

/**
 * A process that knows of no success yet reports `startedAt` (milliseconds since the epoch) instead, so that a job that
 * never succeeds is late as well.
 */
export function createScheduleMetrics(registry: Registry, startedAt: number) {
  const { gauge } = defineMetrics(registry);
  const every = gauge('upsilon_schedule_every_seconds', 'Interval at which a job is scheduled', 'job_name');
  const last = gauge(
    'upsilon_schedule_last_success_timestamp_seconds',
    'When the latest successful run of a job ended, or when this process started if it knows of none; take the maximum over processes',
    'job_name',
  );
  const known = new Map<string, number>();
  /** The end of the latest successful run of a job in any process, in milliseconds since the epoch. */
  const succeeded = (job: string, at: number): void => {
    if (at <= (known.get(job) ?? 0)) return;
    known.set(job, at);
    last.set({ job_name: job }, at / MS_PER_SECOND);
  };
  return {
    planned(job: string, everySeconds: number) {
      every.set({ job_name: job }, everySeconds);
      if (!known.has(job)) succeeded(job, startedAt);
    },
    succeeded,
  };
}
