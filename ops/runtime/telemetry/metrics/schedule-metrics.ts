import type { Registry } from 'prom-client';
import { MS_PER_SECOND } from '../../../../config/units.ts';
import { defineMetrics } from './define-metrics.ts';

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
