import type { Command } from 'commander';
import { CommandError } from './command-error.ts';
import { requireConfirmation } from './require-confirmation.ts';
import { withService } from './service.ts';
import { printJson, type Surroundings } from './surroundings.ts';

/** `keys rotate | list | discard-unreadable`. */
export function addKeyCommands(program: Command, surroundings: Surroundings): void {
  const keys = program.command('keys').description('The keys that access tokens are signed with.');

  keys
    .command('rotate')
    .description('Sign with a new key from now on. Tokens that the former one signed stay good until they expire.')
    .option('--json', 'print one JSON object')
    .action((options: { json?: boolean }) =>
      withService(surroundings, async ({ accounts }) => {
        const { kid } = await accounts.signingKeys.rotate();
        if (options.json === true) printJson(surroundings, { kid });
        else surroundings.print(`The key ${kid} signs from now on, in every process within a minute.\n`);
      }),
    );

  keys
    .command('list')
    .description('List the published keys, the newest first.')
    .option('--json', 'print one JSON object')
    .action((options: { json?: boolean }) =>
      withService(surroundings, async ({ accounts }) => {
        const { keys: published } = await accounts.jwks();
        if (options.json === true) printJson(surroundings, { keys: published });
        else surroundings.print(published.map(({ kid }) => `${kid}\n`).join(''));
      }),
    );

  keys
    .command('discard-unreadable')
    .description('After SECRETS_KEY was lost, with no service running: start over with new signing keys and secrets.')
    .option('--yes', 'confirm: everybody has to sign in again')
    .option('--json', 'print one JSON object')
    .action((options: DiscardOptions) => discardUnreadable(surroundings, options));
}

interface DiscardOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

async function discardUnreadable(surroundings: Surroundings, { yes, json }: DiscardOptions): Promise<void> {
  await withService(surroundings, async ({ accounts: { storedSecrets } }) => {
    requireConfirmation(yes, 'this deletes every secret that SECRETS_KEY does not decrypt, and signs everybody out');
    const discarded = await storedSecrets.discardUnreadable();
    if (discarded.length === 0) {
      throw new CommandError(
        'every stored secret can be read',
        'Nothing was changed. "keys rotate" makes a new signing key.',
      );
    }
    if (json === true) return printJson(surroundings, { discarded });
    surroundings.print(`Discarded, and everybody is signed out:\n${discarded.map((name) => `  ${name}\n`).join('')}`);
  });
}
