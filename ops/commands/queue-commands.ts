import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from './command-context.ts';
import { drainQueue } from './queues/drain-queue.ts';
import { listQueues } from './queues/list-queues.ts';
import { openConsole } from './queues/open-console.ts';
import { setPaused } from './queues/set-paused.ts';

interface Options {
  readonly json?: boolean;
}

/** `queues list | pause | resume | drain | console`. */
export function addQueueCommands(program: Command, context: CommandContext): void {
  const queues = program
    .command('queues')
    .description('List, pause, resume and drain queues. For single jobs see "jobs".');

  queues
    .command('list')
    .description('List the queues with their job counts.')
    .option('--json', 'print one JSON object')
    .action((options: Options) => listQueues(context, options));

  queues
    .command('pause')
    .description('Stop workers from taking jobs of a queue; running jobs finish. Snapshots are accepted and wait.')
    .argument('<queue>')
    .option('--json', 'print one JSON object')
    .action((queue: string, options: Options) => setPaused(context, { queue, paused: true, ...options }));

  queues
    .command('resume')
    .description('Let workers take jobs of a paused queue again.')
    .argument('<queue>')
    .option('--json', 'print one JSON object')
    .action((queue: string, options: Options) => setPaused(context, { queue, paused: false, ...options }));

  queues
    .command('drain')
    .description('Drop all jobs of a queue that have not started. Snapshots get new jobs from the log within seconds.')
    .argument('<queue>')
    .option('--yes', 'confirm: dropped jobs are not recreated, except for snapshots and schedules')
    .option('--json', 'print one JSON object')
    .action((queue: string, options: Options & { yes?: boolean }) => drainQueue(context, { queue, ...options }));

  queues
    .command('console')
    .description('Show queues and jobs in a browser on this machine, until Ctrl-C.')
    .option('--port <port>', 'port to listen on; by default any free port', parsePort, 0)
    .option('--write', 'allow the browser to retry, remove and add jobs')
    .action((options: { port: number; write?: boolean }) => openConsole(context, options));
}

const MAX_PORT = 65_535;

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT) return Number(text);
  throw new InvalidArgumentError(`Give a number up to ${MAX_PORT}.`);
}
