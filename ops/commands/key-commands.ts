import type { Command } from 'commander';
import { type CommandContext, printJson } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { requireConfirmation } from './require-confirmation.ts';
import { withService } from './service.ts';

/** `keys rotate | list | discard-unreadable`. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('Keys that sign access tokens.');

  keys
    .command('rotate')
    .description('Sign with a new key from now on. Tokens signed with the former key stay valid until they expire.')
    .option('--json', 'print one JSON object')
    .action((options: { json?: boolean }) =>
      withService(context, async ({ accounts }) => {
        const { kid } = await accounts.signingKeys.rotate();
        if (options.json === true) printJson(context, { kid });
        else context.print(`The key ${kid} signs from now on; every process uses it within a minute.\n`);
      }),
    );

  keys
    .command('list')
    .description('List the published keys, newest first.')
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
    .description('After the loss of SECRETS_KEY, while no service runs: start over with new signing keys and secrets.')
    .option('--yes', 'confirm: all users have to sign in again')
    .option('--json', 'print one JSON object')
    .action((options: DiscardOptions) => discardUnreadable(context, options));
}

interface DiscardOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

async function discardUnreadable(context: CommandContext, { yes, json }: DiscardOptions): Promise<void> {
  await withService(context, async ({ accounts: { storedSecrets } }) => {
    requireConfirmation(yes, 'this deletes every secret that SECRETS_KEY does not decrypt, and signs all users out');
    const discarded = await storedSecrets.discardUnreadable();
    if (discarded.length === 0) {
      throw new CommandError(
        'every stored secret can be decrypted',
        'Nothing was changed. "keys rotate" creates a new signing key.',
      );
    }
    if (json === true) return printJson(context, { discarded });
    context.print(`Discarded, and all users are signed out:\n${discarded.map((name) => `  ${name}\n`).join('')}`);
  });
}
