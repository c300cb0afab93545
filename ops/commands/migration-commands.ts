import type { Command } from 'commander';
import { MIGRATIONS, migrate, schemaVersion } from '../../engine/mongo/index.ts';
import { type CommandContext, printJson } from './command-context.ts';
import { requireConfirmation } from './require-confirmation.ts';
import { withConnection } from './with-connection.ts';

interface Options {
  readonly json?: boolean;
}

/** `migrations status | run`. */
export function addMigrationCommands(program: Command, context: CommandContext): void {
  const migrations = program
    .command('migrations')
    .description('Schema version of the stored data. Every process migrates when it starts; "run" does it in advance.');

  migrations
    .command('status')
    .description('Show the schema version of the data, and the newest version that this program knows.')
    .option('--json', 'print one JSON object')
    .action((options: Options) => showStatus(context, options));

  migrations
    .command('run')
    .description('Migrate the data to the newest version that this program knows. Older programs then refuse to start.')
    .option('--yes', 'confirm: only a restore undoes it')
    .option('--json', 'print one JSON object')
    .action((options: Options & { yes?: boolean }) => runMigrations(context, options));
}

async function showStatus(context: CommandContext, { json }: Options): Promise<void> {
  await withConnection(context, async (connection) => {
    const { stored, known } = await schemaVersion(connection, MIGRATIONS);
    const pending = MIGRATIONS.filter(({ version }) => stored !== null && version > stored);
    if (json === true)
      return printJson(context, { stored, known, open: pending.map(({ version, name }) => ({ version, name })) });
    context.print(
      `The data have ${stored === null ? 'no version yet' : `version ${stored}`}; this program knows ${known}.\n`,
    );
    for (const { version, name } of pending) context.print(`  ${version}: ${name}\n`);
  });
}

async function runMigrations(context: CommandContext, { yes, json }: Options & { yes?: boolean }): Promise<void> {
  await withConnection(context, async (connection) => {
    const { stored, known } = await schemaVersion(connection, MIGRATIONS);
    requireConfirmation(yes, `this migrates the data from version ${stored ?? 'none'} to ${known}`);
    const ran = await migrate(connection, { migrations: MIGRATIONS, clock: context.clock });
    if (json === true) printJson(context, { ran, version: known });
    else context.print(ran.length === 0 ? 'There was nothing to migrate.\n' : `Ran ${ran.join(', ')}.\n`);
  });
}
