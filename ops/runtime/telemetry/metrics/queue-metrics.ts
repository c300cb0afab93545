import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { WAITING_SECONDS } from './buckets.ts';

/** Reports jobs and what waits for them. `queue` and `job` are names of the job catalog. */
export interface QueueMetrics {
  /** A job was taken up after waiting. */
  started(job: string, waitedSeconds: number): void;
  /** `left`: it is of a newer version, and was put back for a worker that knows it. */
  ended(job: string, outcome: 'completed' | 'failed' | 'retried' | 'left', ranSeconds: number): void;
  /** What a queue holds, as last looked at. The oldest has waited 0 seconds when nothing waits. */
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
    help: 'Time a job waited before it was taken up',
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
    help: 'Ended runs of jobs',
    labelNames: ['job_name', 'outcome'] as const,
    registers,
  });
  // An alert counts these: the first one must be seen to add to something.
  ends.inc({ job_name: 'unknown', outcome: 'left' }, 0);
  const depth = new Gauge({
    name: 'upsilon_queue_jobs',
    help: 'Jobs in a queue',
    labelNames: ['queue', 'state'] as const,
    registers,
  });
  const oldest = new Gauge({
    name: 'upsilon_queue_oldest_waiting_seconds',
    help: 'How long the oldest waiting job of a queue has waited',
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
