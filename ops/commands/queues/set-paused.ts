import { withQueues } from '../jobs/with-queues.ts';
import { printJson, type Surroundings } from '../surroundings.ts';
import { requireQueue } from './require-queue.ts';

/** Pauses or resumes a queue, for every worker. */
export async function setPaused(
  surroundings: Surroundings,
  { queue: name, paused, json }: { readonly queue: string; readonly paused: boolean; readonly json?: boolean },
): Promise<void> {
  await withQueues(surroundings, async (queues) => {
    const queue = requireQueue(queues, name);
    await (paused ? queue.pause() : queue.resume());
    if (json === true) printJson(surroundings, { queue: name, paused });
    else surroundings.print(`The queue ${name} ${paused ? 'is paused' : 'goes on'}.\n`);
  });
}
