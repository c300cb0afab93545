import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from './command-context.ts';
import { activateMethodology } from './methodology/activate-methodology.ts';
import { cancelRun } from './methodology/cancel-run.ts';
import { diffMethodologies } from './methodology/diff-methodologies.ts';
import { listMethodologies } from './methodology/list-methodologies.ts';
import { previewMethodology } from './methodology/preview-methodology.ts';
import { rollBackMethodology } from './methodology/roll-back-methodology.ts';
import { showStatus } from './methodology/show-status.ts';

interface Printed {
  readonly json?: boolean;
}

interface Followed extends Printed {
  readonly wait: boolean;
}

interface Confirmed {
  readonly yes?: boolean;
}

/** `methodology list | diff | preview | activate | status | rollback | cancel`. */
export function addMethodologyCommands(program: Command, context: CommandContext): void {
  const methodology = program
    .command('methodology')
    .description('How the boards are made, and changing it. Workers must run for preview and activate.');
  addLooks(methodology, context);
  addChanges(methodology, context);
}

function addLooks(methodology: Command, context: CommandContext): void {
  methodology
    .command('list')
    .description('List every methodology; the one that makes the boards is marked.')
    .option('--json', 'print one JSON object')
    .action((options: Printed) => listMethodologies(context, options));

  methodology
    .command('diff')
    .description('Show in what two methodologies differ.')
    .argument('<one>', 'number of a methodology', parseNumber)
    .argument('<other>', 'number of another', parseNumber)
    .option('--json', 'print one JSON object')
    .action((one: number, other: number, options: Printed) => diffMethodologies(context, { one, other, ...options }));

  methodology
    .command('status')
    .description('Show the run under way, the last ones, and what a rollback would return to.')
    .option('--json', 'print one JSON object')
    .action((options: Printed) => showStatus(context, options));
}

function addChanges(methodology: Command, context: CommandContext): void {
  methodology
    .command('preview')
    .description('Rank everybody under a methodology without showing it, and tell who would move and by how much.')
    .argument('<number>', 'number of a methodology', parseNumber)
    .option('--no-wait', 'return at once; "methodology status" shows the end')
    .option('--json', 'print one JSON object')
    .action((number: number, options: Followed) => previewMethodology(context, { number, ...options }));

  methodology
    .command('activate')
    .description('Rank everybody under a methodology, and make all public boards by it from then on.')
    .argument('<number>', 'number of a methodology', parseNumber)
    .option('--yes', 'really: it changes the public boards')
    .option('--no-wait', 'return at once; "methodology status" shows the end')
    .option('--json', 'print one JSON object')
    .action((number: number, options: Followed & Confirmed) => activateMethodology(context, { number, ...options }));

  methodology
    .command('rollback')
    .description('Return to the methodology before the last change, at once, with what was submitted since.')
    .option('--yes', 'really: it changes the public boards')
    .option('--json', 'print one JSON object')
    .action((options: Printed & Confirmed) => rollBackMethodology(context, options));

  methodology
    .command('cancel')
    .description('Stop the run under way before it changes anything.')
    .option('--json', 'print one JSON object')
    .action((options: Printed) => cancelRun(context, options));
}

function parseNumber(text: string): number {
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give the number of a methodology, such as 1.');
}
