import { type Command, Option } from 'commander';
import { MAX_ACCESS_TOKEN_LIFETIME_S } from '../../engine/accounts/index.ts';
import type { CommandContext } from './command-context.ts';
import { createOperator } from './operator/create-operator.ts';
import { issueToken } from './operator/issue-token.ts';
import { releaseCodename } from './operator/release-codename.ts';
import { setListed } from './operator/set-listed.ts';
import { setSuspended } from './operator/set-suspended.ts';
import { showOperator } from './operator/show-operator.ts';
import { durationText, parseDuration } from './parse-duration.ts';

const DEFAULT_TOKEN_LIFETIME = '1h';

/** `operator create | show | token | suspend | restore | unlist | list`, `codename release`. */
export function addOperatorCommands(program: Command, context: CommandContext): void {
  const operator = program.command('operator').description('Create and look up operators.');

  operator
    .command('create')
    .description('Create an operator with its account, and print an access token for it.')
    .argument('<codename>', '3 to 32 letters, digits and hyphens')
    .option('--display-name <name>', 'a name for people')
    .option('--plan <plan>', 'the plan of the account')
    .addOption(lifetimeOption())
    .option('--json', 'print one JSON object')
    .action((codename: string, options: CreateOptions) => createOperator(context, { codename, ...options }));

  operator
    .command('show')
    .description('Show an operator, its account and its devices.')
    .argument('<codename>')
    .option('--json', 'print one JSON object')
    .action((codename: string, options: ShowOptions) => showOperator(context, { codename, ...options }));

  operator
    .command('token')
    .description('Print a fresh access token of an operator.')
    .argument('<codename>')
    .addOption(lifetimeOption())
    .option('--json', 'print one JSON object')
    .action((codename: string, options: TokenOptions) => issueToken(context, { codename, ...options }));

  operator
    .command('suspend')
    .description(
      'Refuse everything that an operator asks for, sign it out everywhere, and take it off every board, within seconds.',
    )
    .argument('<codename>')
    .action((codename: string) => setSuspended(context, { codename, suspended: true }));

  operator
    .command('restore')
    .description('Let a suspended operator in again, and put it back on the boards unless it was unlisted.')
    .argument('<codename>')
    .action((codename: string) => setSuspended(context, { codename, suspended: false }));

  addListingCommands(program, operator, context);
}

function addListingCommands(program: Command, operator: Command, context: CommandContext): void {
  operator
    .command('unlist')
    .description('Take an operator off every board without forgetting anything.')
    .argument('<codename>')
    .option('--json', 'print one JSON object')
    .action((codename: string, options: ShowOptions) => setListed(context, { codename, listed: false, ...options }));

  operator
    .command('list')
    .description('Put an unlisted operator back on the boards.')
    .argument('<codename>')
    .option('--json', 'print one JSON object')
    .action((codename: string, options: ShowOptions) => setListed(context, { codename, listed: true, ...options }));

  program
    .command('codename')
    .description('Codenames that nobody bears.')
    .command('release')
    .description(
      'Let anybody have a codename that was given up. Without this it is kept for its former owner for 90 days.',
    )
    .argument('<codename>')
    .option('--yes', 'really: somebody else may pass for the former owner')
    .option('--json', 'print one JSON object')
    .action((codename: string, options: ShowOptions & { yes?: boolean }) =>
      releaseCodename(context, { codename, ...options }),
    );
}

interface ShowOptions {
  readonly json?: boolean;
}

interface TokenOptions extends ShowOptions {
  /** Seconds. */
  readonly expiresIn: number;
}

interface CreateOptions extends TokenOptions {
  readonly displayName?: string;
  readonly plan?: string;
}

function lifetimeOption(): Option {
  const most = durationText(MAX_ACCESS_TOKEN_LIFETIME_S);
  return new Option('--expires-in <duration>', `life of the access token, such as 30m; at most ${most}`)
    .argParser(parseDuration)
    .default(parseDuration(DEFAULT_TOKEN_LIFETIME), DEFAULT_TOKEN_LIFETIME);
}
