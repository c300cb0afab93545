import { once } from 'node:events';
import type { Queue } from 'bullmq';
import type { Command } from 'commander';
import { MS_PER_SECOND } from '../../config/units.ts';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  commandGroup,
  numberParser,
  printResult,
  requireConfirmation,
} from './command-context.ts';
import { withQueues } from './service.ts';
import { startConsole } from './start-console.ts';

/** `queues list | pause | resume | drain | console`. */
export function addQueueCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'queues', 'List, pause, resume and drain queues. For single jobs see "jobs".');

  add('list', 'List the queues with their job counts.').action((options: CommandOptions) =>
    withQueues(context, async (all) => {
      const lines = await Promise.all(all.map(lineOf));
      printResult(context, options, { queues: lines }, lines.map(textOf).join(''));
    }),
  );

  add(
    'pause <queue>',
    'Stop workers from taking jobs of a queue; running jobs finish. Snapshots are accepted and wait.',
  ).action((queue: string, options: CommandOptions) => setPaused(context, queue, true, options));

  add('resume <queue>', 'Let workers take jobs of a paused queue again.').action(
    (queue: string, options: CommandOptions) => setPaused(context, queue, false, options),
  );

  add(
    'drain <queue>',
    'Drop all jobs of a queue that have not started. Snapshots get new jobs from the log within seconds.',
  )
    .option('--yes', 'confirm: dropped jobs are not recreated, except for snapshots and schedules')
    .action((queue: string, options: CommandOptions) => drainQueue(context, queue, options));

  add('console', 'Show queues and jobs in a browser on this machine, until Ctrl-C.', 'text')
    .option('--port <port>', 'port to listen on; by default any free port', parsePort, 0)
    .option('--write', 'allow the browser to retry, remove and add jobs')
    .action(({ port, write }: { readonly port: number; readonly write?: boolean }) =>
      withQueues(context, async (all) => {
        const console = await startConsole({ queues: all, port, writable: write === true });
        context.print(`The console is open until Ctrl-C. Keep this address to yourself:\n${console.url}\n`);
        await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
        await console.close();
      }),
    );
}

/** Runs that are shorter are not worth a word. */
const LONG_RUN_SECONDS = 60;

const MAX_PORT = 65_535;

const parsePort = numberParser(/^\d{1,5}$/, `Give a number up to ${MAX_PORT}.`, { max: MAX_PORT });

/** Pauses or resumes a queue, for every worker. */
async function setPaused(context: CommandContext, name: string, paused: boolean, options: CommandOptions) {
  await withQueues(context, async (queues) => {
    const queue = requireQueue(queues, name);
    await (paused ? queue.pause() : queue.resume());
    printResult(context, options, { queue: name, paused }, `The queue ${name} is ${paused ? 'paused' : 'running'}.\n`);
  });
}

/** Drops a queue's jobs that have not started. Schedules and, for snapshots, `reconcile-log` create new ones. */
async function drainQueue(context: CommandContext, name: string, options: CommandOptions): Promise<void> {
  await withQueues(context, async (queues) => {
    const queue = requireQueue(queues, name);
    const { waiting = 0, delayed = 0 } = await queue.getJobCounts('waiting', 'delayed');
    const dropped = waiting + delayed;
    requireConfirmation(options, `this drops ${dropped} jobs of the queue ${name}`);
    await queue.drain(true);
    printResult(context, options, { queue: name, dropped }, `Dropped ${dropped} jobs of the queue ${name}.\n`);
  });
}

/** @throws CommandError when there is no queue with that name. */
function requireQueue(queues: readonly Queue[], name: string): Queue {
  const found = queues.find((queue) => queue.name === name);
  if (found !== undefined) return found;
  const names = queues.map((queue) => queue.name).join(', ');
  throw new CommandError(`there is no queue ${name}`, `The queues are: ${names}.`);
}

async function lineOf(queue: Queue) {
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await queue.getJobCounts();
  const [oldest] = waiting === 0 ? [] : await queue.getJobs(['waiting'], 0, 0, true);
  // BullMQ takes job timestamps from the machine's clock.
  const waited = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp) / MS_PER_SECOND;
  const paused = await queue.isPaused();
  const running = (await queue.getActive()).map(({ name, processedOn }) => {
    return { job: name, seconds: Math.round((Date.now() - (processedOn ?? Date.now())) / MS_PER_SECOND) };
  });
  const [longest = null] = running.toSorted((a, b) => b.seconds - a.seconds);
  const oldest_waiting_seconds = Math.round(waited);
  return { queue: queue.name, paused, waiting, active, delayed, failed, oldest_waiting_seconds, longest };
}

function textOf(line: Awaited<ReturnType<typeof lineOf>>): string {
  const { queue, paused, waiting, active, delayed, failed, oldest_waiting_seconds, longest } = line;
  const state = paused ? ' (paused)' : '';
  const oldest = waiting === 0 ? '' : `, the oldest waits ${oldest_waiting_seconds} s`;
  const longRun =
    longest === null || longest.seconds < LONG_RUN_SECONDS ? '' : `, ${longest.job} runs for ${longest.seconds} s`;
  return `${queue}${state}: ${waiting} waiting, ${active} running, ${delayed} delayed, ${failed} failed${oldest}${longRun}\n`;
}
