import { type CommandContext, printJson } from '../command-context.ts';
import { withQueues } from '../jobs/with-queues.ts';
import { requireQueue } from './require-queue.ts';

/** Pauses or resumes a queue, for every worker. */
export async function setPaused(
  context: CommandContext,
  { queue: name, paused, json }: { readonly queue: string; readonly paused: boolean; readonly json?: boolean },
): Promise<void> {
  await withQueues(context, async (queues) => {
    const queue = requireQueue(queues, name);
    await (paused ? queue.pause() : queue.resume());
    if (json === true) printJson(context, { queue: name, paused });
    else context.print(`The queue ${name} is ${paused ? 'paused' : 'running'}.\n`);
  });
}
