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
    .description('Show and change the methodology of the boards. "preview" and "activate" need running workers.');
  addQueries(methodology, context);
  addChanges(methodology, context);
}

function addQueries(methodology: Command, context: CommandContext): void {
  methodology
    .command('list')
    .description('List the methodologies; the active one is marked.')
    .option('--json', 'print one JSON object')
    .action((options: Printed) => listMethodologies(context, options));

  methodology
    .command('diff')
    .description('Show the differences between two methodologies.')
    .argument('<one>', 'number of a methodology', parseNumber)
    .argument('<other>', 'number of another', parseNumber)
    .option('--json', 'print one JSON object')
    .action((one: number, other: number, options: Printed) => diffMethodologies(context, { one, other, ...options }));

  methodology
    .command('status')
    .description('Show the current run, the last runs, and the methodology that a rollback returns to.')
    .option('--json', 'print one JSON object')
    .action((options: Printed) => showStatus(context, options));
}

function addChanges(methodology: Command, context: CommandContext): void {
  methodology
    .command('preview')
    .description('Rank all operators under a methodology without publishing, and print the changes of rank.')
    .argument('<number>', 'number of a methodology', parseNumber)
    .option('--no-wait', 'return immediately; "methodology status" shows the result')
    .option('--json', 'print one JSON object')
    .action((number: number, options: Followed) => previewMethodology(context, { number, ...options }));

  methodology
    .command('activate')
    .description('Rank all operators under a methodology, then use it for all public boards.')
    .argument('<number>', 'number of a methodology', parseNumber)
    .option('--yes', 'confirm: this changes the public boards')
    .option('--no-wait', 'return immediately; "methodology status" shows the result')
    .option('--json', 'print one JSON object')
    .action((number: number, options: Followed & Confirmed) => activateMethodology(context, { number, ...options }));

  methodology
    .command('rollback')
    .description('Return immediately to the methodology before the last change. Snapshots since then are kept.')
    .option('--yes', 'confirm: this changes the public boards')
    .option('--json', 'print one JSON object')
    .action((options: Printed & Confirmed) => rollBackMethodology(context, options));

  methodology
    .command('cancel')
    .description('Stop the current run before it changes anything.')
    .option('--json', 'print one JSON object')
    .action((options: Printed) => cancelRun(context, options));
}

function parseNumber(text: string): number {
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give the number of a methodology, such as 1.');
}
