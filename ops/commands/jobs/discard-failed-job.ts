import { type CommandContext, printJson } from '../command-context.ts';
import { failedJob } from './failed-jobs.ts';
import { withQueues } from './with-queues.ts';

/** Forgets a failed job. A group of the log that has no verdict gets a new job from the next reconciliation. */
export async function discardFailedJob(
  context: CommandContext,
  { id, json }: { readonly id: string; readonly json?: boolean },
): Promise<void> {
  await withQueues(context, async (queues) => {
    await (await failedJob(queues, id)).remove();
    if (json === true) printJson(context, { discarded: id });
    else context.print(`The job ${id} is forgotten.\n`);
  });
}
