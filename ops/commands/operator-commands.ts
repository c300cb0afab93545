import { type Command, Option } from 'commander';
import { type Account, type DeviceRecord, MAX_ACCESS_TOKEN_LIFETIME_S } from '../../engine/accounts/index.ts';
import type { OperatorRecord } from '../../engine/ranking/index.ts';
import {
  type AddCommand,
  type CommandContext,
  CommandError,
  type CommandOptions,
  commandGroup,
  printResult,
  requireConfirmation,
} from './command-context.ts';
import { type CreateOptions, createOperators, issueToken, type TokenOptions } from './operator-tokens.ts';
import { durationText, parseDuration } from './parse-duration.ts';
import { requireOperator, withoutAccount } from './require-operator.ts';
import { withService } from './service.ts';

const DEFAULT_TOKEN_LIFETIME = '1h';

/** `operator create | show | token | suspend | restore | unlist | list`, `codename release`. */
export function addOperatorCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'operator', 'Create, show, suspend and unlist operators.');

  add('create', 'Create operators with accounts, and print an access token for each.', 'text')
    .argument('<codename...>', '3 to 32 letters, digits and hyphens')
    .option('--display-name <name>', 'a display name, of a single operator')
    .option('--plan <plan>', 'the plan of the account')
    .addOption(lifetimeOption())
    .option('--token-only', 'print the token alone, also of an operator that exists')
    .option('--json', 'print one JSON object, or an array for several codenames')
    .action((codenames: string[], options: CreateOptions) => createOperators(context, codenames, options));

  add('show <codename>', 'Show an operator, its account and its devices.').action(
    (codename: string, options: CommandOptions) => showOperator(context, codename, options),
  );

  add('token <codename>', 'Print a new access token for an operator.')
    .addOption(lifetimeOption())
    .action((codename: string, options: TokenOptions) => issueToken(context, codename, options));

  add(
    'suspend <codename>',
    'Refuse all requests of an operator, end its sessions, and remove it from every board, within seconds.',
    'text',
  ).action((codename: string) => setSuspended(context, codename, true));

  add('restore <codename>', 'End a suspension: the operator returns unless it is unlisted or hidden.', 'text').action(
    (codename: string) => setSuspended(context, codename, false),
  );

  addListingCommands(program, add, context);
}

function addListingCommands(program: Command, add: AddCommand, context: CommandContext): void {
  add('unlist <codename>', 'Remove an operator from every board and keep its data.').action(
    (codename: string, options: CommandOptions) => setListed(context, codename, false, options),
  );

  add('list <codename>', 'Return an unlisted operator to the boards.').action(
    (codename: string, options: CommandOptions) => setListed(context, codename, true, options),
  );

  const addCodename = commandGroup(program, 'codename', 'Codenames that are not in use.');
  addCodename(
    'release <codename>',
    'Make a given-up codename available. Without this it is reserved for its former owner for 90 days.',
  )
    .option('--yes', 'confirm: another operator may then impersonate the former owner')
    .action((codename: string, options: CommandOptions) => releaseCodename(context, codename, options));
}

function lifetimeOption(): Option {
  const max = durationText(MAX_ACCESS_TOKEN_LIFETIME_S);
  return new Option('--expires-in <duration>', `lifetime of the access token, such as 30m; at most ${max}`)
    .argParser(parseDuration)
    .default(parseDuration(DEFAULT_TOKEN_LIFETIME), DEFAULT_TOKEN_LIFETIME);
}

/** Prints an operator with its account and devices. */
async function showOperator(context: CommandContext, wanted: string, options: CommandOptions): Promise<void> {
  await withService(context, async (service) => {
    const { operator, account } = await requireOperator(service, wanted);
    const devices = await service.accounts.devices.list(operator.operator);
    const { displayName: display_name, operator: number, codename, listed, offBoards: off_boards } = operator;
    const lines = [...operatorLines(operator, account), ...deviceLines(devices), ''];
    const value = { codename, display_name, operator: number, listed, off_boards, account, devices };
    printResult(context, options, value, lines.join('\n'));
  });
}

function operatorLines(record: OperatorRecord, account: Account | null): string[] {
  const { codename, displayName, operator, listed, offBoards } = record;
  const name = displayName === null ? '' : ` (${displayName})`;
  const head = `${codename}${name}, number ${operator}, ${listed ? 'listed on the boards' : `not listed (${offBoards.join(', ')})`}`;
  if (account === null) return [head, '  no account'];
  const state = account.suspended ? 'suspended' : 'in good standing';
  return [head, `  plan ${account.plan}, ${state}, since ${account.created_at}`, `  subject ${account.subject}`];
}

function deviceLines(devices: readonly DeviceRecord[]): string[] {
  if (devices.length === 0) return ['  no devices'];
  return devices.map(({ kid, name, created_at, revoked_at }) => {
    const until = revoked_at === null ? '' : `, revoked ${revoked_at}`;
    return `  device ${kid} ${name === null ? '' : `"${name}" `}since ${created_at}${until}`;
  });
}

/** Removes an operator from every board and keeps its data, or returns it to the boards. */
async function setListed(context: CommandContext, wanted: string, listed: boolean, options: CommandOptions) {
  await withService(context, async (service) => {
    const { operator, codename } = (await requireOperator(service, wanted)).operator;
    await service.ranking.operators.amend(operator, { listed });
    const { offBoards = [], listed: present = false } = (await service.ranking.operators.byNumber(operator)) ?? {};
    const text = `${codename} ${listingText(listed, offBoards)}.\n`;
    printResult(context, options, { codename, listed: present }, text);
  });
}

function listingText(listed: boolean, offBoards: OperatorRecord['offBoards']): string {
  if (listed && offBoards.includes('suspended')) return 'is suspended and will be listed when it is restored';
  if (listed && offBoards.includes('hidden')) return 'has hidden its row and will be listed when it shows it again';
  const change = listed ? 'is listed again' : 'is off every board; its snapshots are still accepted and counted';
  return `${change}, from the next commit on`;
}

/**
 * Suspends an operator and removes it from every board, or restores it. The account is written first: `maintain-accounts`
 * updates the boards when this is interrupted.
 */
async function setSuspended(context: CommandContext, wanted: string, suspended: boolean): Promise<void> {
  await withService(context, async (service) => {
    const { operator, codename } = (await requireOperator(service, wanted)).operator;
    if (!(await service.accounts.suspend(operator, suspended))) throw withoutAccount(codename);
    await service.ranking.operators.amend(operator, { suspended });
    const present = await service.ranking.operators.byNumber(operator);
    context.print(suspensionText(codename, suspended, present?.listed === true));
  });
}

function suspensionText(codename: string, suspended: boolean, listed: boolean): string {
  if (suspended) {
    return `Suspended ${codename}: its tokens and sessions end within 5 s, and the next commit removes it from every board.\n`;
  }
  const boards = listed
    ? 'and is back on the boards from the next commit on'
    : 'and stays off the boards, because it is unlisted or hidden';
  return `Restored ${codename}: it can sign in again, ${boards}.\n`;
}

/** Makes a codename available that its former owner gave up less than 90 days ago. */
async function releaseCodename(context: CommandContext, codename: string, options: CommandOptions): Promise<void> {
  await withService(context, async ({ ranking }) => {
    if ((await ranking.operators.find(codename)) !== null) {
      throw new CommandError(`${codename} is an operator's codename`, 'Only one that was given up can be released.');
    }
    requireConfirmation(options, `this makes ${codename}, which is reserved for its former owner, available to all`);
    const released = await ranking.operators.freeCodename(codename);
    const text = released ? `${codename} is available.\n` : `${codename} was not reserved.\n`;
    printResult(context, options, { codename, released }, text);
  });
}
