import type { Job } from 'bullmq';
import { isJobName, JOBS } from './catalog.ts';
import { HANDLERS, type HandlerContext } from './handlers/handlers.ts';

const MS_PER_SECOND = 1_000;

/** Runs one job within its time. A name that this program does not know is left for one that does. */
export async function runJob(context: HandlerContext, job: Job): Promise<unknown> {
  if (!isJobName(job.name))
    throw new Error(`this worker does not know the job ${job.name}: it may be of a newer version`);
  const { timeoutMs, attempts } = JOBS[job.name];
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
