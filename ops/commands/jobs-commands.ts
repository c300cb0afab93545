import type { Job, JobState, Queue } from 'bullmq';
import type { Command } from 'commander';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  commandGroup,
  numberParser,
  printResult,
} from './command-context.ts';
import { withQueues } from './service.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;
/** Jobs per queue that one command requeues. */
const MAX_RETRIED = 10_000;
/** Failed jobs per query of Redis. */
const PAGE_JOBS = 200;

const LIST_FAILED = 'List the failed jobs: npm run -s ops -- jobs failed';

/** `jobs failed | retry | discard`. */
export function addJobsCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'jobs', 'List, retry and discard jobs that failed permanently.');

  add('failed', 'List the jobs that failed after their last attempt.')
    .option('--limit <count>', `number of jobs to show per queue, at most ${MAX_LIMIT}`, parseLimit, DEFAULT_LIMIT)
    .action((options: CommandOptions & { readonly limit: number }) => listFailedJobs(context, options));

  add('retry', 'Run a failed job, or all failed jobs, again.')
    .argument('[id]', 'the id that "jobs failed" shows')
    .option('--all', 'every failed job')
    .action((id: string | undefined, options: CommandOptions & { readonly all?: boolean }) =>
      retryFailedJobs(context, id, options),
    );

  add('discard', 'Delete a failed job that can never succeed. Its snapshots stay in the log and get a new job.')
    .argument('<id>', 'the id that "jobs failed" shows')
    .action((id: string, options: CommandOptions) =>
      withQueues(context, async (queues) => {
        // The next reconciliation creates a new job for a batch of the log without verdicts.
        await (await failedJob(queues, id)).remove();
        printResult(context, options, { discarded: id }, `Discarded the job ${id}.\n`);
      }),
    );
}

const parseLimit = numberParser(/^[0-9]{1,4}$/, `Give a number from 1 to ${MAX_LIMIT}.`, { min: 1, max: MAX_LIMIT });

/** Prints the jobs that failed permanently, newest first within each queue. */
async function listFailedJobs(context: CommandContext, options: CommandOptions & { limit: number }): Promise<void> {
  await withQueues(context, async (queues) => {
    const jobs: ReturnType<typeof describe>[] = [];
    let total = 0;
    for (const queue of queues) {
      total += await queue.getFailedCount();
      jobs.push(...(await failedJobs(queue, options.limit)).map((job) => describe(queue.name, job)));
    }
    printResult(context, options, { total, jobs }, `${linesOf(total, jobs).join('\n')}\n`);
  });
}

function describe(queue: string, { id, name, attemptsMade, finishedOn, failedReason }: Job) {
  const failed_at = finishedOn === undefined ? null : new Date(finishedOn).toISOString();
  return { queue, id: id ?? '', name, attempts: attemptsMade, failed_at, reason: failedReason };
}

function linesOf(total: number, jobs: readonly ReturnType<typeof describe>[]): string[] {
  if (total === 0) return ['No job has failed.'];
  const shown = jobs.length < total ? `, ${jobs.length} of them shown` : '';
  return [
    `${total} failed ${total === 1 ? 'job' : 'jobs'}${shown}:`,
    ...jobs.map(
      ({ queue, id, name, attempts, failed_at, reason }) =>
        `  ${id}  ${name} (${queue}), ${attempts} attempts, ${failed_at ?? 'at an unknown time'}: ${reason.split('\n')[0]}`,
    ),
    'Run one again: npm run -s ops -- jobs retry ID; all of them: npm run -s ops -- jobs retry --all',
  ];
}

/** Requeues one failed job, or all, with all attempts. */
async function retryFailedJobs(
  context: CommandContext,
  id: string | undefined,
  options: CommandOptions & { readonly all?: boolean },
): Promise<void> {
  if ((id === undefined) === (options.all !== true)) {
    throw new CommandError('give one job id, or --all', 'npm run -s ops -- jobs retry ID, or jobs retry --all');
  }
  await withQueues(context, async (queues) => {
    const retried = id === undefined ? await retryAll(queues) : await retryOne(queues, id);
    printResult(context, options, { retried }, `${retried} ${retried === 1 ? 'job runs' : 'jobs run'} again.\n`);
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

/** The newest failed jobs of a queue, newest first, at most `limit`. */
async function failedJobs(queue: Queue, limit: number): Promise<readonly Job[]> {
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

/** @throws CommandError when there is no job with this id, or it has not failed. */
async function failedJob(queues: readonly Queue[], id: string): Promise<Job> {
  for (const queue of queues) {
    const job: Job | undefined = await queue.getJob(id);
    if (job === undefined) continue;
    const state = await job.getState();
    if (state !== 'failed') throw notFailed(id, state);
    return job;
  }
  throw new CommandError(`there is no job ${id}`, LIST_FAILED);
}

function notFailed(id: string, state: JobState | 'unknown'): CommandError {
  return new CommandError(`the job ${id} has not failed: it is ${state}`, LIST_FAILED);
}
