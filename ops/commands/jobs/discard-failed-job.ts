import { printJson, type Surroundings } from '../surroundings.ts';
import { failedJob } from './failed-jobs.ts';
import { withQueues } from './with-queues.ts';

/** Forgets a failed job. A group of the log that has no verdict gets a new job from the next reconciliation. */
export async function discardFailedJob(
  surroundings: Surroundings,
  { id, json }: { readonly id: string; readonly json?: boolean },
): Promise<void> {
  await withQueues(surroundings, async (queues) => {
    await (await failedJob(queues, id)).remove();
    if (json === true) printJson(surroundings, { discarded: id });
    else surroundings.print(`The job ${id} is forgotten.\n`);
  });
}
