import { Gauge, type Registry } from 'prom-client';
import { MS_PER_SECOND } from '../../../../config/units.ts';

/** Reports scheduled jobs. `job` is a name of the job catalog. */
export interface ScheduleMetrics {
  /** The interval at which a job is scheduled. */
  planned(job: string, everySeconds: number): void;
  /** The end of the latest successful run of a job in any process, in milliseconds since the epoch. */
  succeeded(job: string, at: number): void;
}

/**
 * A process that knows of no success yet reports `startedAt` (milliseconds since the epoch) instead, so that a job that
 * never succeeds is late as well.
 */
export function createScheduleMetrics(registry: Registry, startedAt: number): ScheduleMetrics {
  const registers = [registry];
  const every = new Gauge({
    name: 'upsilon_schedule_every_seconds',
    help: 'Interval at which a job is scheduled',
    labelNames: ['job_name'] as const,
    registers,
  });
  const last = new Gauge({
    name: 'upsilon_schedule_last_success_timestamp_seconds',
    help: 'When the latest successful run of a job ended, or when this process started if it knows of none; take the maximum over processes',
    labelNames: ['job_name'] as const,
    registers,
  });
  const known = new Map<string, number>();
  const succeeded = (job: string, at: number): void => {
    if (at <= (known.get(job) ?? 0)) return;
    known.set(job, at);
    last.set({ job_name: job }, at / MS_PER_SECOND);
  };
  return {
    planned(job, everySeconds) {
      every.set({ job_name: job }, everySeconds);
      if (!known.has(job)) succeeded(job, startedAt);
    },
    succeeded,
  };
}
