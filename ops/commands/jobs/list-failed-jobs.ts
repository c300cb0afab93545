import type { Job } from 'bullmq';
import { type CommandContext, printJson } from '../command-context.ts';
import { failedJobs } from './failed-jobs.ts';
import { withQueues } from './with-queues.ts';

interface ListRequest {
  /** Jobs per queue. */
  readonly limit: number;
  readonly json?: boolean;
}

/** Prints the jobs that failed permanently, newest first within each queue. */
export async function listFailedJobs(context: CommandContext, { limit, json }: ListRequest): Promise<void> {
  await withQueues(context, async (queues) => {
    const jobs: ReturnType<typeof describe>[] = [];
    let total = 0;
    for (const queue of queues) {
      total += await queue.getFailedCount();
      jobs.push(...(await failedJobs(queue, limit)).map((job) => describe(queue.name, job)));
    }
    if (json === true) printJson(context, { total, jobs });
    else context.print(`${linesOf(total, jobs).join('\n')}\n`);
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
        `  ${id}  ${name} (${queue}), ${attempts} attempts, ${failed_at ?? 'at an unknown time'}: ${firstLine(reason)}`,
    ),
    'Run one again: npm run -s ops -- jobs retry ID; all of them: npm run -s ops -- jobs retry --all',
  ];
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
