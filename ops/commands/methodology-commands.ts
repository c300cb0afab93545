import type { Command } from 'commander';
import type { RerankStatus, RunStatus } from '../../engine/ranking/index.ts';
import { METHODOLOGIES, type Methodology } from '../../engine/ranking/methodologies/index.ts';
import {
  type AddCommand,
  type CommandContext,
  CommandError,
  type CommandOptions,
  commandGroup,
  printResult,
  requireConfirmation,
} from './command-context.ts';
import {
  activateMethodology,
  type FollowOptions,
  parseNumber,
  previewMethodology,
  requireMethodology,
} from './methodology-runs.ts';
import { withService } from './service.ts';

/** `methodology list | diff | preview | activate | status | rollback | cancel`. */
export function addMethodologyCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(
    program,
    'methodology',
    'Show and change the methodology of the boards. "preview" and "activate" need running workers.',
  );
  addQueries(add, context);
  addChanges(add, context);
}

function addQueries(add: AddCommand, context: CommandContext): void {
  add('list', 'List the methodologies; the active one is marked.').action((options: CommandOptions) =>
    listMethodologies(context, options),
  );

  add('diff', 'Show the differences between two methodologies.')
    .argument('<one>', 'number of a methodology', parseNumber)
    .argument('<other>', 'number of another', parseNumber)
    .action((one: number, other: number, options: CommandOptions) => diffMethodologies(context, one, other, options));

  add('status', 'Show the current run, the last runs, and the methodology that a rollback returns to.').action(
    (options: CommandOptions) =>
      withService(context, async ({ ranking }) => {
        const status = await ranking.rerank.status();
        printResult(context, options, status, `${statusLines(status).join('\n')}\n`);
      }),
  );
}

function addChanges(add: AddCommand, context: CommandContext): void {
  add('preview', 'Rank all operators under a methodology without publishing, and print the changes of rank.')
    .argument('<number>', 'number of a methodology', parseNumber)
    .option('--no-wait', 'return immediately; "methodology status" shows the result')
    .action((number: number, options: FollowOptions) => previewMethodology(context, number, options));

  add('activate', 'Rank all operators under a methodology, then use it for all public boards.')
    .argument('<number>', 'number of a methodology', parseNumber)
    .option('--yes', 'confirm: this changes the public boards')
    .option('--no-wait', 'return immediately; "methodology status" shows the result')
    .action((number: number, options: FollowOptions) => activateMethodology(context, number, options));

  add('rollback', 'Return immediately to the methodology before the last change. Snapshots since then are kept.')
    .option('--yes', 'confirm: this changes the public boards')
    .action((options: CommandOptions) => rollBackMethodology(context, options));

  add('cancel', 'Stop the current run before it changes anything.').action((options: CommandOptions) =>
    withService(context, async ({ ranking }) => {
      const run = await ranking.rerank.cancel();
      if (run === null) throw new CommandError('no run is in progress', 'There is nothing to cancel.');
      const text = `Run ${run} was cancelled. The boards are unchanged.\n`;
      printResult(context, options, { run, state: 'cancelled' }, text);
    }),
  );
}

/** Prints every methodology and marks the active one. */
async function listMethodologies(context: CommandContext, options: CommandOptions): Promise<void> {
  await withService(context, async ({ ranking }) => {
    const { methodology: active } = await ranking.rerank.status();
    const methodologies = [...METHODOLOGIES.values()];
    const lines = methodologies.map(({ id, formula, eligibility, notes }) => {
      const conditions = Object.entries(eligibility).map(([condition, value]) => `${condition} ${value}`);
      return `${id === active ? '*' : ' '} ${id}  ${formula}; ${conditions.join(', ')}\n     ${notes}\n`;
    });
    const text = `${lines.join('')}The boards use the methodology marked with a star.\n`;
    printResult(context, options, { active, methodologies }, text);
  });
}

/** The properties of a methodology as text, by name. */
function propertiesOf({ formula, eligibility, tiers, notes }: Methodology): ReadonlyMap<string, string> {
  return new Map([
    ['formula', formula],
    ...Object.entries(eligibility).map(([name, value]): [string, string] => [`eligibility.${name}`, String(value)]),
    ...tiers.map(({ name, from }): [string, string] => [`tiers.${name}`, `from ${from}`]),
    ['notes', notes],
  ]);
}

/** Prints the differences between two methodologies. Needs no running service. */
function diffMethodologies(context: CommandContext, one: number, other: number, options: CommandOptions): void {
  const [former, latter] = [propertiesOf(requireMethodology(one)), propertiesOf(requireMethodology(other))];
  const names = [...new Set([...former.keys(), ...latter.keys()])];
  const differences = names
    .map((of) => ({ of, [one]: former.get(of) ?? null, [other]: latter.get(of) ?? null }))
    .filter((difference) => difference[one] !== difference[other]);
  const texts = differences.map(
    ({ of, ...values }) => `${of}\n  - ${values[one] ?? '(nothing)'}\n  + ${values[other] ?? '(nothing)'}\n`,
  );
  const text = texts.join('') || `Methodologies ${one} and ${other} do not differ.\n`;
  printResult(context, options, { one, other, differences }, text);
}

/** Returns to the methodology before the last change. */
async function rollBackMethodology(context: CommandContext, options: CommandOptions): Promise<void> {
  await withService(context, async ({ ranking }) => {
    const { methodology, rollback } = await ranking.rerank.status();
    if (rollback !== null) {
      const change = `this switches all public boards from methodology ${methodology} to ${rollback.methodology}`;
      requireConfirmation(options, change);
    }
    const result = await ranking.rerank.rollBack();
    if (result.kind === 'nothing') {
      const next = 'Activate a methodology: methodology activate NUMBER.';
      throw new CommandError('there is nothing to roll back to', next);
    }
    if (result.kind === 'busy') {
      throw new CommandError(`run ${result.run} is in progress`, 'Stop it first: methodology cancel.');
    }
    const { version, from, to } = result;
    const text = `The boards use methodology ${to} again, from version ${version} on.\n`;
    printResult(context, options, { version, from, to }, text);
  });
}

function statusLines({ methodology, version, underWay, ended, rollback }: RerankStatus): string[] {
  return [
    `The boards use methodology ${methodology} (version ${version}).`,
    underWay === null ? 'No run is in progress.' : `In progress: ${runText(underWay)}`,
    rollback === null
      ? 'There is nothing to roll back to.'
      : `A rollback returns to methodology ${rollback.methodology}, until ${timeText(rollback.until)}.`,
    ...ended.map((run) => `Ended: ${runText(run)}`),
  ];
}

function runText(run: RunStatus): string {
  const { kind, from, methodology, state, scored, ranges, startedAt, endedAt, error } = run;
  const progress = endedAt === null ? `, ${scored} of ${ranges} ranges scored` : `, ended ${timeText(endedAt)}`;
  const reason = error === null ? '' : ` (${error})`;
  return `${run.run}, ${kind} ${methodology} from ${from}, ${state}${reason}, started ${timeText(startedAt)}${progress}`;
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
