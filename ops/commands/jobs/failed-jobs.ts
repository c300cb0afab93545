import type { Job, JobState, Queue } from 'bullmq';
import { CommandError } from '../command-error.ts';

const LIST_FAILED = 'List the failed jobs: npm run -s ops -- jobs failed';

/** Failed jobs per query of Redis. */
const PAGE_JOBS = 200;

/** The newest failed jobs of a queue, newest first, at most `limit`. */
export async function failedJobs(queue: Queue, limit: number): Promise<readonly Job[]> {
  const found: Job[] = [];
  while (found.length < limit) {
    const wanted = Math.min(PAGE_JOBS, limit - found.length);
    const page: readonly Job[] = await queue.getFailed(found.length, found.length + wanted - 1);
    // A job that is removed between the two steps of the query comes back empty.
    found.push(...page.filter((job) => job !== undefined && job !== null));
    if (page.length < wanted) break;
  }
  return found;
}

/**
 * The failed job with an id.
 *
 * @throws CommandError when there is none, or it has not failed.
 */
export async function failedJob(queues: readonly Queue[], id: string): Promise<Job> {
  for (const queue of queues) {
    const job: Job | undefined = await queue.getJob(id);
    if (job === undefined) continue;
    const state = await job.getState();
    if (state !== 'failed') throw notFailed(id, state);
    return job;
  }
  throw new CommandError(`there is no job ${id}`, LIST_FAILED);
}

export function notFailed(id: string, state: JobState | 'unknown'): CommandError {
  return new CommandError(`the job ${id} has not failed: it is ${state}`, LIST_FAILED);
}
