import type { Command } from 'commander';
import type { Finding, Repair, VerifyStep } from '../../engine/ranking/index.ts';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  commandGroup,
  logProgress,
  printResult,
  requireConfirmation,
} from './command-context.ts';
import { withService } from './service.ts';
import { withLocalEngines } from './with-local-engines.ts';

interface VerifyOptions extends CommandOptions {
  readonly repair?: boolean;
}

/** `board verify`. */
export function addBoardCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'board', 'The published boards.');

  add(
    'verify',
    'Recompute every operator from the log and the rollups, and the board from the operators, and print each part that ' +
      'differs: manifest, base, page, segment, topEntries, history, sample, rollup, platforms. The service may be running: operators whose snapshots have no verdict yet are not compared.',
  )
    .option('--repair', 'recompute the parts that differ; damaged boards of the history are deleted')
    .option('--yes', 'confirm the repair, which changes the public boards')
    .action((options: VerifyOptions) => withLocalEngines(context, (local) => verify(local, options)));
}

async function verify(context: CommandContext, options: VerifyOptions): Promise<void> {
  await withService(context, async ({ ranking }) => {
    const report = logProgress(context);
    let undecided = 0;
    let isExact = false;
    const findings = await ranking.repair.verify((step) => {
      undecided = step.undecided ?? undecided;
      isExact = step.isExact ?? isExact;
      report(stepText(step));
    });
    const list = `${findings.map(textOf).join('')}${undecidedText(undecided)}${isExact ? '' : NOT_EXACT}`;
    if (options.repair === true && findings.length > 0) {
      if (options.json !== true) context.print(list);
      requireConfirmation(options, `this recomputes what differs (${findings.length})`);
      const repaired = await ranking.repair.repair(findings, (done) => report(`${done} operators are recomputed.`));
      printResult(context, options, { findings, undecided, isExact, repaired }, repairText(repaired));
      return;
    }
    const nothing = findings.length === 0 ? 'Nothing differs.\n' : '';
    printResult(context, options, { findings, undecided, isExact, repaired: null }, `${nothing}${list}`);
    if (findings.length > 0)
      throw new CommandError(
        findings.length === 1 ? '1 part differs' : `${findings.length} parts differ`,
        'Repair them: board verify --repair',
      );
  });
}

const NOT_EXACT =
  'Records changed since the boards of platforms were begun: these are complete and in order, and not compared with the operators.\n';

function stepText({ step, done, of }: VerifyStep): string {
  if (step === 'samples') return `${done} of ${of} operators compared with the log.`;
  if (step === 'platforms') return 'The boards of platforms are compared.';
  return step === 'board'
    ? 'Comparing the board with the operators.'
    : `${done} of ${of} boards of the history compared.`;
}

function undecidedText(operators: number): string {
  const who = operators === 1 ? '1 operator has' : `${operators} operators have`;
  return operators === 0 ? '' : `${who} snapshots without a verdict: not compared.\n`;
}

const textOf = ({ part, name, problem }: Finding): string => `${part} ${name} ${problem}\n`;

function repairText({ samples, rollups, history, rebuilt, platforms }: Repair): string {
  const done = [
    `${samples} operators were recomputed from the log`,
    `${rollups} rollups were recomputed from the samples`,
    `${history} boards of the history were deleted`,
    rebuilt ? 'the board was rebuilt from the operators' : 'the board is unchanged',
    ...(platforms ? ['the boards of platforms are made again'] : []),
  ];
  return `Repaired: ${done.join(', ')}. The next commit publishes the changes.\n`;
}
