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
  const operator = program.command('operator').description('Create, show, suspend and unlist operators.');

  operator
    .command('create')
    .description('Create an operator with an account, and print an access token for it.')
    .argument('<codename>', '3 to 32 letters, digits and hyphens')
    .option('--display-name <name>', 'a display name')
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
    .description('Print a new access token for an operator.')
    .argument('<codename>')
    .addOption(lifetimeOption())
    .option('--json', 'print one JSON object')
    .action((codename: string, options: TokenOptions) => issueToken(context, { codename, ...options }));

  operator
    .command('suspend')
    .description(
      'Refuse all requests of an operator, end its sessions, and remove it from every board, within seconds.',
    )
    .argument('<codename>')
    .action((codename: string) => setSuspended(context, { codename, suspended: true }));

  operator
    .command('restore')
    .description('End a suspension, and return the operator to the boards unless it was unlisted.')
    .argument('<codename>')
    .action((codename: string) => setSuspended(context, { codename, suspended: false }));

  addListingCommands(program, operator, context);
}

function addListingCommands(program: Command, operator: Command, context: CommandContext): void {
  operator
    .command('unlist')
    .description('Remove an operator from every board and keep its data.')
    .argument('<codename>')
    .option('--json', 'print one JSON object')
    .action((codename: string, options: ShowOptions) => setListed(context, { codename, listed: false, ...options }));

  operator
    .command('list')
    .description('Return an unlisted operator to the boards.')
    .argument('<codename>')
    .option('--json', 'print one JSON object')
    .action((codename: string, options: ShowOptions) => setListed(context, { codename, listed: true, ...options }));

  program
    .command('codename')
    .description('Codenames that are not in use.')
    .command('release')
    .description('Make a given-up codename available. Without this it is reserved for its former owner for 90 days.')
    .argument('<codename>')
    .option('--yes', 'confirm: another operator may then impersonate the former owner')
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
  const max = durationText(MAX_ACCESS_TOKEN_LIFETIME_S);
  return new Option('--expires-in <duration>', `lifetime of the access token, such as 30m; at most ${max}`)
    .argParser(parseDuration)
    .default(parseDuration(DEFAULT_TOKEN_LIFETIME), DEFAULT_TOKEN_LIFETIME);
}
