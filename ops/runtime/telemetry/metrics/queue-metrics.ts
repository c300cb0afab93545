import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { WAITING_SECONDS } from './buckets.ts';

/** Reports jobs and queues. `queue` and `job` are names of the job catalog. */
export interface QueueMetrics {
  /** A worker took a job. */
  started(job: string, waitedSeconds: number): void;
  /** `left`: the job type is of a newer version, and the job was requeued for workers that know it. */
  ended(job: string, outcome: 'completed' | 'failed' | 'retried' | 'left', ranSeconds: number): void;
  /** The contents of a queue at the last check. `oldestSeconds` is 0 when no job waits. */
  holds(
    queue: string,
    jobs: { waiting: number; active: number; delayed: number; failed: number },
    oldestSeconds: number,
  ): void;
}

export function createQueueMetrics(registry: Registry): QueueMetrics {
  const registers = [registry];
  const waits = new Histogram({
    name: 'upsilon_job_wait_seconds',
    help: 'Time a job waited in its queue',
    labelNames: ['job_name'] as const,
    buckets: WAITING_SECONDS,
    registers,
  });
  const runs = new Histogram({
    name: 'upsilon_job_run_seconds',
    help: 'Time a job ran',
    labelNames: ['job_name'] as const,
    buckets: WAITING_SECONDS,
    registers,
  });
  const ends = new Counter({
    name: 'upsilon_jobs_total',
    help: 'Job runs by outcome',
    labelNames: ['job_name', 'outcome'] as const,
    registers,
  });
  // Created with 0: an alert uses `increase()`, which does not see the first count of a new series.
  ends.inc({ job_name: 'unknown', outcome: 'left' }, 0);
  const depth = new Gauge({
    name: 'upsilon_queue_jobs',
    help: 'Jobs in a queue',
    labelNames: ['queue', 'state'] as const,
    registers,
  });
  const oldest = new Gauge({
    name: 'upsilon_queue_oldest_waiting_seconds',
    help: 'Age of the oldest waiting job of a queue',
    labelNames: ['queue'] as const,
    registers,
  });
  return {
    started: (job, waitedSeconds) => waits.observe({ job_name: job }, waitedSeconds),
    ended(job, outcome, ranSeconds) {
      runs.observe({ job_name: job }, ranSeconds);
      ends.inc({ job_name: job, outcome });
    },
    holds(queue, jobs, oldestSeconds) {
      for (const [state, count] of Object.entries(jobs)) depth.set({ queue, state }, count);
      oldest.set({ queue }, oldestSeconds);
    },
  };
}
