import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from './command-context.ts';
import { discardFailedJob } from './jobs/discard-failed-job.ts';
import { listFailedJobs } from './jobs/list-failed-jobs.ts';
import { retryFailedJobs } from './jobs/retry-failed-jobs.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

/** `jobs failed | retry | discard`. */
export function addJobsCommands(program: Command, context: CommandContext): void {
  const jobs = program.command('jobs').description('List, retry and discard jobs that failed permanently.');

  jobs
    .command('failed')
    .description('List the jobs that failed after their last attempt.')
    .option('--limit <count>', `number of jobs to show per queue, at most ${MAX_LIMIT}`, parseLimit, DEFAULT_LIMIT)
    .option('--json', 'print one JSON object')
    .action((options: { limit: number; json?: boolean }) => listFailedJobs(context, options));

  jobs
    .command('retry')
    .description('Run a failed job, or all failed jobs, again.')
    .argument('[id]', 'the id that "jobs failed" shows')
    .option('--all', 'every failed job')
    .option('--json', 'print one JSON object')
    .action((id: string | undefined, options: { all?: boolean; json?: boolean }) =>
      retryFailedJobs(context, { id, ...options }),
    );

  jobs
    .command('discard')
    .description('Delete a failed job that can never succeed. Its snapshots stay in the log and get a new job.')
    .argument('<id>', 'the id that "jobs failed" shows')
    .option('--json', 'print one JSON object')
    .action((id: string, options: { json?: boolean }) => discardFailedJob(context, { id, ...options }));
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^[0-9]{1,4}$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`Give a number from 1 to ${MAX_LIMIT}.`);
}
