import { DelayedError, type Job } from 'bullmq';
import { isJobName, JOBS, RETIRED_JOBS } from './catalog.ts';
import type { HandlerContext } from './handlers/context.ts';
import { HANDLERS } from './handlers/handlers.ts';

const MS_PER_SECOND = 1_000;

/** How long a job of a newer program waits before it is offered again, to whichever worker is free then. */
const LEFT_FOR_MS = 5_000;

/** One run of a job as the queue gives it. */
export interface GivenJob {
  readonly job: Job;
  /** Proves to the queue that this worker holds the job. */
  readonly token: string | undefined;
  /** Told of a job that this program does not know. */
  readonly onUnknown: (job: Job) => void;
  /** In place of the catalog's; tests lower it. */
  readonly timeoutMs?: number;
}

/**
 * Runs one job within its time. One with a name that this program does not know is left, as if it had never been taken, for
 * a worker that does: while a newer version is being rolled out, workers of both take jobs.
 */
export async function runJob(context: HandlerContext, given: GivenJob): Promise<unknown> {
  const { job, token, onUnknown } = given;
  if (RETIRED_JOBS.has(job.name)) return null;
  if (!isJobName(job.name)) {
    onUnknown(job);
    await job.moveToDelayed(Date.now() + LEFT_FOR_MS, token);
    throw new DelayedError();
  }
  const { attempts } = JOBS[job.name];
  const { timeoutMs = JOBS[job.name].timeoutMs } = given;
  const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? attempts);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`${job.name} took longer than ${timeoutMs / MS_PER_SECOND} s`);
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([HANDLERS[job.name](context, job.data, { isLast }), late]);
  } finally {
    clearTimeout(timer);
  }
}
