import type { Command } from 'commander';
import { type CommandContext, printJson } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { requireConfirmation } from './require-confirmation.ts';
import { withService } from './service.ts';

/** `keys rotate | list | discard-unreadable`. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('The keys that access tokens are signed with.');

  keys
    .command('rotate')
    .description('Sign with a new key from now on. Tokens that the former one signed stay good until they expire.')
    .option('--json', 'print one JSON object')
    .action((options: { json?: boolean }) =>
      withService(context, async ({ accounts }) => {
        const { kid } = await accounts.signingKeys.rotate();
        if (options.json === true) printJson(context, { kid });
        else context.print(`The key ${kid} signs from now on, in every process within a minute.\n`);
      }),
    );

  keys
    .command('list')
    .description('List the published keys, the newest first.')
    .option('--json', 'print one JSON object')
    .action((options: { json?: boolean }) =>
      withService(context, async ({ accounts }) => {
        const { keys: published } = await accounts.jwks();
        if (options.json === true) printJson(context, { keys: published });
        else context.print(published.map(({ kid }) => `${kid}\n`).join(''));
      }),
    );

  keys
    .command('discard-unreadable')
    .description('After SECRETS_KEY was lost, with no service running: start over with new signing keys and secrets.')
    .option('--yes', 'confirm: everybody has to sign in again')
    .option('--json', 'print one JSON object')
    .action((options: DiscardOptions) => discardUnreadable(context, options));
}

interface DiscardOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

async function discardUnreadable(context: CommandContext, { yes, json }: DiscardOptions): Promise<void> {
  await withService(context, async ({ accounts: { storedSecrets } }) => {
    requireConfirmation(yes, 'this deletes every secret that SECRETS_KEY does not decrypt, and signs everybody out');
    const discarded = await storedSecrets.discardUnreadable();
    if (discarded.length === 0) {
      throw new CommandError(
        'every stored secret can be read',
        'Nothing was changed. "keys rotate" makes a new signing key.',
      );
    }
    if (json === true) return printJson(context, { discarded });
    context.print(`Discarded, and everybody is signed out:\n${discarded.map((name) => `  ${name}\n`).join('')}`);
  });
}
