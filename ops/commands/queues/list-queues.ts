import type { Queue } from 'bullmq';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { withQueues } from '../jobs/with-queues.ts';

interface QueueLine {
  readonly queue: string;
  readonly paused: boolean;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  /** How long the oldest waiting job has waited, in seconds; 0 when none waits. */
  readonly oldest_waiting_seconds: number;
}

/** Prints every queue with its job counts. */
export async function listQueues(context: CommandContext, { json }: { readonly json?: boolean }): Promise<void> {
  await withQueues(context, async (queues) => {
    const lines = await Promise.all(queues.map(lineOf));
    if (json === true) printJson(context, { queues: lines });
    else context.print(lines.map(textOf).join(''));
  });
}

async function lineOf(queue: Queue): Promise<QueueLine> {
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await queue.getJobCounts();
  const [oldest] = waiting === 0 ? [] : await queue.getJobs(['waiting'], 0, 0, true);
  // BullMQ takes job timestamps from the machine's clock.
  const waited = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp) / MS_PER_SECOND;
  const paused = await queue.isPaused();
  return { queue: queue.name, paused, waiting, active, delayed, failed, oldest_waiting_seconds: Math.round(waited) };
}

function textOf({ queue, paused, waiting, active, delayed, failed, oldest_waiting_seconds }: QueueLine): string {
  const state = paused ? ' (paused)' : '';
  const oldest = waiting === 0 ? '' : `, the oldest waits ${oldest_waiting_seconds} s`;
  return `${queue}${state}: ${waiting} waiting, ${active} running, ${delayed} delayed, ${failed} failed${oldest}\n`;
}
