import type { Command } from 'commander';
import type { Finding, Repair, VerifyStep } from '../../engine/ranking/index.ts';
import { type CommandContext, printJson } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { logProgress } from './log-progress.ts';
import { requireConfirmation } from './require-confirmation.ts';
import { withService } from './service.ts';

interface VerifyOptions {
  readonly repair?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `board verify`. */
export function addBoardCommands(program: Command, context: CommandContext): void {
  const board = program.command('board').description('The published boards.');

  board
    .command('verify')
    .description(
      'Recompute every operator from the log and the carry marks, the board from the operators, and name each part that ' +
        'differs: root, base, page, segment, tops, history, mark, carry. The service may run meanwhile.',
    )
    .option('--repair', 'make anew what differs; kept boards that are damaged are let go')
    .option('--yes', 'really repair: it changes the public boards')
    .option('--json', 'print one JSON object')
    .action((options: VerifyOptions) => verify(context, options));
}

async function verify(context: CommandContext, { repair, yes, json }: VerifyOptions): Promise<void> {
  await withService(context, async ({ ranking }) => {
    const tell = logProgress(context);
    const findings = await ranking.repair.verify((step) => tell(stepText(step)));
    if (repair === true && findings.length > 0) {
      if (json !== true) context.print(findings.map(textOf).join(''));
      requireConfirmation(yes, `this makes ${findings.length} differing parts anew`);
      const repaired = await ranking.repair.repair(findings, (done) => tell(`${done} operators are folded anew.`));
      if (json === true) printJson(context, { findings, repaired });
      else context.print(repairText(repaired));
      return;
    }
    if (json === true) printJson(context, { findings, repaired: null });
    else context.print(findings.length === 0 ? 'Nothing differs.\n' : findings.map(textOf).join(''));
    if (findings.length > 0)
      throw new CommandError(`${findings.length} parts differ`, 'Repair them: board verify --repair');
  });
}

function stepText({ step, done, of }: VerifyStep): string {
  if (step === 'samples') return `${done} of ${of} operators are compared with the log.`;
  return step === 'board' ? 'The board is compared with the operators.' : `${done} of ${of} kept boards are compared.`;
}

const textOf = ({ part, name, problem }: Finding): string => `${part} ${name} ${problem}\n`;

function repairText({ samples, rollups, history, rebuilt }: Repair): string {
  const done = [
    `${samples} operators were folded anew from the log`,
    `${rollups} carry marks were made anew from the marks`,
    `${history} kept boards were let go`,
    rebuilt ? 'the board was made anew from the operators' : 'the board stays as it is',
  ];
  return `Repaired: ${done.join(', ')}. Changes are published with the next commit.\n`;
}
