import { appealedCase, BY_COMMAND, readCaseText, seenOf } from '../../engine/integrity/cases/index.ts';
import { WAIVED_TIMES } from '../../engine/integrity/index.ts';
import type { Explanation } from '../../engine/ranking/index.ts';
import { type CommandContext, CommandError, type CommandOptions, printResult } from './command-context.ts';
import { requireOperator } from './require-operator.ts';
import { type Service, withService } from './service.ts';

const RULE = 'extraordinary-yield';

export interface AcceptOptions extends CommandOptions {
  readonly reason: string;
}

/** How an operator is judged on the current board. @throws CommandError without the operator, or a board. */
export async function requireExplained(service: Service, wanted: string): Promise<Explanation> {
  await requireOperator(service, wanted);
  const explained = await service.ranking.operators.explain(wanted);
  if (explained === null) throw new CommandError('there is no board yet', 'Start a worker first.');
  return explained;
}

/** `integrity accept`: the decision that a moderator makes at /moderation, so that later decisions about the row keep it. */
export async function acceptYield(context: CommandContext, wanted: string, options: AcceptOptions): Promise<void> {
  const read = readCaseText(options.reason, 'A reason');
  if ('fault' in read) throw new CommandError(read.fault, 'Nothing was changed. Give another --reason.');
  await withService(context, async (service) => {
    const judged = await requireExplained(service, wanted);
    const waiting = judged.windows.filter(({ row, rules }) => row === 'held' && rules.includes(RULE));
    if (!judged.listed || waiting.length === 0) return reportUnneeded(context, options, judged);
    const yield_ = Math.max(...waiting.map((each) => each.yield_));
    const accepted = WAIVED_TIMES * yield_;
    await decide(service, judged, accepted, read.text);
    const windows = waiting.map(({ window }) => window);
    const value = { codename: judged.codename, changed: true, yield: yield_, accepted, windows };
    const others = [...new Set(waiting.flatMap(({ rules }) => rules))].filter((rule) => rule !== RULE);
    const still = others.length === 0 ? '' : `Other findings still apply: ${others.join(', ')}.\n`;
    const text = `Accepted the Yield of ${judged.codename} in ${windows.join(', ')}: ${short(yield_)}, and up to ${short(accepted)}. `;
    printResult(context, options, value, `${text}The next board version has it.\n${still}`);
  });
}

async function decide({ accounts, ranking }: Service, judged: Explanation, accepted: number, reason: string) {
  const { operator, codename, board_version: boardVersion } = judged;
  const { cases } = accounts;
  if (appealedCase(await cases.ofOperator(operator)) !== undefined) {
    const next = 'Decide it at /moderation: clearing it accepts the Yield as well.';
    throw new CommandError(`an appeal of ${codename} waits, which is about all of its cases`, next);
  }
  await cases.open([{ operator, rule: RULE, severity: 'hold', boardVersion }]);
  const all = await cases.ofOperator(operator);
  const found = all.find(({ rule }) => rule === RULE)!;
  const seen = seenOf(found, all, () => [accepted]);
  const about = { id: found._id, by: BY_COMMAND, action: 'void', seen, client: null } as const;
  // The counts are part of decisions about appeals alone.
  const outcome = await cases.decide({ ...about, reason, counts: '' }, ranking.operators.applyReview);
  if (outcome !== 'decided') {
    throw new CommandError(`the case of ${codename} changed meanwhile`, 'Look at it, then repeat the command.');
  }
}

/** Reports an earlier acceptance that is enough. @throws CommandError why there is nothing to accept. */
function reportUnneeded(context: CommandContext, options: CommandOptions, judged: Explanation): void {
  const { codename, accepted, listed, windows } = judged;
  if (!listed || !windows.some(({ need, row, yield_ }) => need.acceptance && row === 'settled' && yield_ <= accepted)) {
    const next = 'See what it crosses: integrity explain CODENAME.';
    throw new CommandError(`nothing of ${codename} needs acceptance: ${lackOf(judged)}`, next);
  }
  const text = `The Yield of ${codename} is accepted already, up to ${short(accepted)}. Nothing was changed.\n`;
  printResult(context, options, { codename, changed: false, accepted }, text);
}

/** Why no window needs acceptance, by the one that is farthest from being numbered. */
function lackOf({ listed, windows }: Explanation): string {
  if (!listed) return 'it is on no board';
  if (windows.length === 0) return 'it has no Yield in any window';
  const found = windows.find(({ row }) => row === 'excluded') ?? windows.find(({ row }) => row === 'held');
  if (found === undefined) return 'its rows are settled';
  const { window, row, rules, vouching, need } = found;
  if (rules.length > 0) return `${window} is ${row} by ${rules.join(', ')}`;
  return `${window} has ${vouching} of ${need.days} witnessed days that vouch for its Yield`;
}

function short(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}
