import type { Job, Queue } from 'bullmq';
import { type CommandContext, printJson } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { failedJob, failedJobs, notFailed } from './failed-jobs.ts';
import { withQueues } from './with-queues.ts';

/** Jobs per queue that one command requeues. */
const MAX_RETRIED = 10_000;

interface RetryRequest {
  readonly id: string | undefined;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Requeues one failed job, or all, with all attempts. */
export async function retryFailedJobs(context: CommandContext, { id, all, json }: RetryRequest): Promise<void> {
  if ((id === undefined) === (all !== true)) {
    throw new CommandError('give one job id, or --all', 'npm run -s ops -- jobs retry ID, or jobs retry --all');
  }
  await withQueues(context, async (queues) => {
    const retried = id === undefined ? await retryAll(queues) : await retryOne(queues, id);
    if (json === true) printJson(context, { retried });
    else context.print(`${retried} ${retried === 1 ? 'job runs' : 'jobs run'} again.\n`);
  });
}

async function retryAll(queues: readonly Queue[]): Promise<number> {
  let retried = 0;
  for (const queue of queues) {
    for (const job of await failedJobs(queue, MAX_RETRIED)) {
      if (await retry(job)) retried += 1;
    }
  }
  return retried;
}

async function retryOne(queues: readonly Queue[], id: string): Promise<number> {
  const job = await failedJob(queues, id);
  if (await retry(job)) return 1;
  throw notFailed(id, await job.getState());
}

/** Returns false when the job is not failed: another command may just have requeued it. */
async function retry(job: Job): Promise<boolean> {
  if ((await job.getState()) !== 'failed') return false;
  try {
    await job.retry('failed', { resetAttemptsMade: true });
    return true;
  } catch (error) {
    if ((await job.getState()) === 'failed') throw error;
    return false;
  }
}
