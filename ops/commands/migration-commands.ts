import type { Command } from 'commander';
import { MIGRATIONS, migrate, schemaVersion } from '../../engine/mongo/index.ts';
import { type CommandContext, type CommandOptions, printResult, requireConfirmation } from './command-context.ts';
import { withConnection } from './service.ts';

/** `migrations status | run`. */
export function addMigrationCommands(program: Command, context: CommandContext): void {
  const migrations = program
    .command('migrations')
    .description('Schema version of the stored data. Every process migrates when it starts; "run" does it in advance.');

  migrations
    .command('status')
    .description('Show the schema version of the data, and the newest version that this program knows.')
    .option('--json', 'print one JSON object')
    .action((options: CommandOptions) => showStatus(context, options));

  migrations
    .command('run')
    .description('Migrate the data to the newest version that this program knows. Older programs then refuse to start.')
    .option('--yes', 'confirm: only a restore undoes it')
    .option('--json', 'print one JSON object')
    .action((options: CommandOptions) => runMigrations(context, options));
}

async function showStatus(context: CommandContext, options: CommandOptions): Promise<void> {
  await withConnection(context, async (connection) => {
    const { stored, known } = await schemaVersion(connection, MIGRATIONS);
    const open = MIGRATIONS.steps
      .filter(({ version }) => stored !== null && version > stored)
      .map(({ version, name }) => ({
        version,
        name,
      }));
    const head = `The data have ${stored === null ? 'no version yet' : `version ${stored}`}; this program knows ${known}.\n`;
    const text = head + open.map(({ version, name }) => `  ${version}: ${name}\n`).join('');
    printResult(context, options, { stored, known, open }, text);
  });
}

async function runMigrations(context: CommandContext, options: CommandOptions): Promise<void> {
  await withConnection(context, async (connection) => {
    const { stored, known } = await schemaVersion(connection, MIGRATIONS);
    requireConfirmation(options, `this migrates the data from version ${stored ?? 'none'} to ${known}`);
    const ran = await migrate(connection, { migrations: MIGRATIONS, clock: context.clock });
    const text = ran.length === 0 ? 'There was nothing to migrate.\n' : `Ran ${ran.join(', ')}.\n`;
    printResult(context, options, { ran, version: known }, text);
  });
}
