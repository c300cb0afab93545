import type { Job, JobState, Queue } from 'bullmq';
import { CommandError } from '../command-error.ts';

const SEE_FAILED = 'See which have: npm run -s ops -- jobs failed';

/** Failed jobs that one question to Redis asks for. */
const PAGE = 200;

/** At most this many failed jobs of one queue, newest first; the newest of a queue that has fewer than that are all. */
export async function failedJobs(queue: Queue, most: number): Promise<readonly Job[]> {
  const found: Job[] = [];
  while (found.length < most) {
    const wanted = Math.min(PAGE, most - found.length);
    const page: readonly Job[] = await queue.getFailed(found.length, found.length + wanted - 1);
    // A job that is removed between the two steps of the question comes back empty.
    found.push(...page.filter((job) => job !== undefined && job !== null));
    if (page.length < wanted) break;
  }
  return found;
}

/** The failed job of that id. Throws a CommandError when there is none, or it has not failed. */
export async function failedJob(queues: readonly Queue[], id: string): Promise<Job> {
  for (const queue of queues) {
    const job: Job | undefined = await queue.getJob(id);
    if (job === undefined) continue;
    const state = await job.getState();
    if (state !== 'failed') throw notFailed(id, state);
    return job;
  }
  throw new CommandError(`there is no job ${id}`, SEE_FAILED);
}

export function notFailed(id: string, state: JobState | 'unknown'): CommandError {
  return new CommandError(`the job ${id} has not failed: it is ${state}`, SEE_FAILED);
}
