import type { Queue } from 'bullmq';
import { CommandError } from '../command-error.ts';

/** @throws CommandError when there is no queue with that name. */
export function requireQueue(queues: readonly Queue[], name: string): Queue {
  const found = queues.find((queue) => queue.name === name);
  if (found !== undefined) return found;
  throw new CommandError(
    `there is no queue ${name}`,
    `The queues are: ${queues.map((queue) => queue.name).join(', ')}.`,
  );
}
