import { type CommandContext, printJson } from '../command-context.ts';
import { withQueues } from '../jobs/with-queues.ts';
import { requireConfirmation } from '../require-confirmation.ts';
import { requireQueue } from './require-queue.ts';

interface DrainRequest {
  readonly queue: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Drops a queue's jobs that have not started. Schedules and, for snapshots, `reconcile-log` create new ones. */
export async function drainQueue(context: CommandContext, { queue: name, yes, json }: DrainRequest): Promise<void> {
  await withQueues(context, async (queues) => {
    const queue = requireQueue(queues, name);
    const { waiting = 0, delayed = 0 } = await queue.getJobCounts('waiting', 'delayed');
    requireConfirmation(yes, `this drops ${waiting + delayed} jobs of the queue ${name}`);
    await queue.drain(true);
    if (json === true) printJson(context, { queue: name, dropped: waiting + delayed });
    else context.print(`Dropped ${waiting + delayed} jobs of the queue ${name}.\n`);
  });
}
