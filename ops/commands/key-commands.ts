import type { Command } from 'commander';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  commandGroup,
  printResult,
  requireConfirmation,
} from './command-context.ts';
import { type Service, withService } from './service.ts';
import { withLocalEngines } from './with-local-engines.ts';

/** `keys rotate | list | discard-unreadable`. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'keys', 'Keys that sign access tokens and the daily archive.');

  add(
    'rotate',
    'Sign with a new key from now on. Tokens signed with the former key stay valid until they expire, and days of the archive for good.',
  )
    .option('--archive', 'the key of the daily archive, in place of that of access tokens')
    .action((options: CommandOptions & { readonly archive?: boolean }) =>
      withService(context, async ({ accounts }) => {
        const { kid } = await (options.archive === true ? accounts.archiveKeys : accounts.signingKeys).rotate();
        const text = `The key ${kid} signs from now on; every process uses it within a minute.\n`;
        printResult(context, options, { kid }, text);
      }),
    );

  add('list', 'List the published keys, newest first.').action((options: CommandOptions) =>
    withService(context, async ({ accounts }) => {
      const { keys: published } = await accounts.jwks();
      printResult(context, options, { keys: published }, published.map(({ kid }) => `${kid}\n`).join(''));
    }),
  );

  add(
    'discard-unreadable',
    'After the loss of SECRETS_KEY, while no service runs: start over with new signing keys and secrets.',
  )
    .option('--yes', 'confirm: all users have to sign in again')
    .action((options: CommandOptions) => withLocalEngines(context, (local) => discardUnreadable(local, options)));
}

async function discardUnreadable(context: CommandContext, options: CommandOptions): Promise<void> {
  const discard = async ({ accounts: { storedSecrets } }: Service) => {
    requireConfirmation(
      options,
      'this deletes every secret that SECRETS_KEY does not decrypt, and signs all users out',
    );
    const discarded = await storedSecrets.discardUnreadable();
    if (discarded.length === 0) {
      const next = 'Nothing was changed. "keys rotate" creates a new signing key.';
      throw new CommandError('every stored secret can be decrypted', next);
    }
    const names = discarded.map((name) => `  ${name}\n`).join('');
    printResult(context, options, { discarded }, `Discarded, and all users are signed out:\n${names}`);
  };
  await withService(context, discard, { checkKey: false });
}
