import type { Command } from 'commander';
import { withService } from './service.ts';
import { printJson, type Surroundings } from './surroundings.ts';

/** `keys rotate | list`. */
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
}
