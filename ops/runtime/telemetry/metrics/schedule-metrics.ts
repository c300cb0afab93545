import { Gauge, type Registry } from 'prom-client';

const MS_PER_SECOND = 1_000;

/** Reports what runs by itself. `job` is a name of the job catalog. */
export interface ScheduleMetrics {
  /** A job is to run this often. */
  planned(job: string, everySeconds: number): void;
  /** The newest run of a job that succeeded, in any process, ended at this moment (milliseconds since the epoch). */
  succeeded(job: string, at: number): void;
}

/**
 * A process that has heard of no success yet tells `startedAt` (milliseconds since the epoch) instead: a job that never
 * succeeds is late, like one that stopped succeeding.
 */
export function createScheduleMetrics(registry: Registry, startedAt: number): ScheduleMetrics {
  const registers = [registry];
  const every = new Gauge({
    name: 'upsilon_schedule_every_seconds',
    help: 'How often a job is to run by itself',
    labelNames: ['job_name'] as const,
    registers,
  });
  const last = new Gauge({
    name: 'upsilon_schedule_last_success_timestamp_seconds',
    help: 'When the newest successful run of a job ended, or when this process began to look; take the maximum over processes',
    labelNames: ['job_name'] as const,
    registers,
  });
  const known = new Map<string, number>();
  const tell = (job: string, at: number): void => {
    if (at <= (known.get(job) ?? 0)) return;
    known.set(job, at);
    last.set({ job_name: job }, at / MS_PER_SECOND);
  };
  return {
    planned(job, everySeconds) {
      every.set({ job_name: job }, everySeconds);
      if (!known.has(job)) tell(job, startedAt);
    },
    succeeded: tell,
  };
}
