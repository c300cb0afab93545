import { type CommandContext, printJson } from '../command-context.ts';
import { failedJob } from './failed-jobs.ts';
import { withQueues } from './with-queues.ts';

/** Deletes a failed job. The next reconciliation creates a new job for a batch of the log without verdicts. */
export async function discardFailedJob(
  context: CommandContext,
  { id, json }: { readonly id: string; readonly json?: boolean },
): Promise<void> {
  await withQueues(context, async (queues) => {
    await (await failedJob(queues, id)).remove();
    if (json === true) printJson(context, { discarded: id });
    else context.print(`Discarded the job ${id}.\n`);
  });
}
