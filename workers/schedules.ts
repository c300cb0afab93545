import { JOB_NAMES, JOBS } from './catalog.ts';
import { jobOptions, type Queues } from './open-queues.ts';

/** How often a worker looks whether the schedules are still there: Redis may have been emptied. */
const CHECK_MS = 5_000;

/** Adds the schedules that are missing. A schedule that is there keeps its rhythm. */
async function ensureSchedules(queues: Queues): Promise<void> {
  for (const name of JOB_NAMES) {
    const { queue, everyMs } = JOBS[name];
    if (everyMs === null) continue;
    const known = await queues[queue].getJobScheduler(name);
    if (known?.every === everyMs) continue;
    await queues[queue].upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts: jobOptions(name) });
  }
}

/** Keeps the catalog's schedules in Redis until stopped. */
export function keepSchedules(queues: Queues, onError: (error: unknown) => void): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const check = (): void => {
    running = running.then(() => ensureSchedules(queues)).catch(onError);
  };
  check();
  const timer = setInterval(check, CHECK_MS);
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
