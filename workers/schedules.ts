import type { Queue } from 'bullmq';
import { MS_PER_SECOND } from '../config/units.ts';
import { isJobName, JOB_NAMES, JOBS, type JobName, jobOptions, type Queues } from '../ops/runtime/queues/index.ts';
import type { RedisClient } from '../ops/runtime/stores/index.ts';
import type { ScheduleMetrics } from '../ops/runtime/telemetry/index.ts';

/** Failed jobs that are looked through after a success. */
const MAX_FORGOTTEN = 200;

/** Interval of the check for missing schedules: Redis may have been emptied. */
const CHECK_MS = 5_000;

export interface SchedulesOptions {
  readonly queues: Queues;
  readonly redis: RedisClient;
  /** Prefix of all names in Redis. */
  readonly prefix: string;
  readonly metrics: ScheduleMetrics;
  readonly onError: (error: unknown) => void;
}

/** Adds missing schedules. Existing ones keep their phase. */
async function ensureSchedules(queues: Queues): Promise<void> {
  for (const name of JOB_NAMES) {
    const { queue, everyMs } = JOBS[name];
    if (everyMs === null) continue;
    const known = await queues[queue].getJobScheduler(name);
    if (known?.every === everyMs) continue;
    await queues[queue].upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts: jobOptions(name) });
  }
}

/** Removes failed runs of a schedule: its last success did their work. */
async function forgetFailures(queue: Queue, job: JobName): Promise<void> {
  if ((await queue.getFailedCount()) === 0) return;
  for (const failed of await queue.getFailed(0, MAX_FORGOTTEN)) if (failed.name === job) await failed.remove();
}

export type Schedules = ReturnType<typeof keepSchedules>;

/** Maintains the catalog's schedules in Redis and reports their last successes, until closed. */
export function keepSchedules({ queues, redis, prefix, metrics, onError }: SchedulesOptions) {
  /** Milliseconds since the epoch by job. When Redis loses them, each process reports its own. */
  const successes = `${prefix}:successes`;
  for (const name of JOB_NAMES) {
    const { everyMs } = JOBS[name];
    if (everyMs !== null) metrics.planned(name, everyMs / MS_PER_SECOND);
  }

  async function loadSuccesses(): Promise<void> {
    for (const [job, at] of Object.entries(await redis.hgetall(successes)))
      if (isJobName(job)) metrics.succeeded(job, Number(at));
  }

  let running: Promise<void> = Promise.resolve();
  const check = (): void => {
    running = running
      .then(() => ensureSchedules(queues))
      .then(loadSuccesses)
      .catch(onError);
  };
  check();
  const timer = setInterval(check, CHECK_MS);
  return {
    /** Records a successful run, for the metrics of every process. */
    succeeded(job: JobName): void {
      if (JOBS[job].everyMs === null) return;
      const at = Date.now();
      metrics.succeeded(job, at);
      redis.hset(successes, job, at).catch(onError);
      void forgetFailures(queues[JOBS[job].queue], job).catch(onError);
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await running;
    },
  };
}
