import type { Command } from 'commander';
import { MIGRATIONS, migrate, schemaVersion } from '../../engine/mongo/index.ts';
import {
  type CommandContext,
  type CommandOptions,
  commandGroup,
  logProgress,
  printResult,
  requireConfirmation,
} from './command-context.ts';
import { withConnection } from './service.ts';

/** `migrations status | run`. */
export function addMigrationCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(
    program,
    'migrations',
    'Schema version of the stored data. Every process migrates when it starts; "run" does it in advance.',
  );

  add('status', 'Show the schema version of the data, and the newest version that this program knows.').action(
    (options: CommandOptions) => showStatus(context, options),
  );

  add('run', 'Migrate the data to the newest version that this program knows. Older programs then refuse to start.')
    .option('--yes', 'confirm: only a restore undoes it')
    .action((options: CommandOptions) => runMigrations(context, options));
}

const STOP_FIRST = ' (stop all processes of the release before first)';

async function showStatus(context: CommandContext, options: CommandOptions): Promise<void> {
  await withConnection(context, async (connection) => {
    const { stored, known } = await schemaVersion(connection, MIGRATIONS);
    const open = MIGRATIONS.steps
      .filter(({ version }) => stored !== null && version > stored)
      .map(({ version, name, besideFormer: beside_former }) => ({ version, name, beside_former }));
    const head = `The data have ${stored === null ? 'no version yet' : `version ${stored}`}; this program knows ${known}.\n`;
    const text =
      head + open.map((each) => `  ${each.version}: ${each.name}${each.beside_former ? '' : STOP_FIRST}\n`).join('');
    printResult(context, options, { stored, known, open }, text);
  });
}

async function runMigrations(context: CommandContext, options: CommandOptions): Promise<void> {
  await withConnection(context, async (connection) => {
    const { stored, known } = await schemaVersion(connection, MIGRATIONS);
    requireConfirmation(options, `this migrates the data from version ${stored ?? 'none'} to ${known}`);
    const report = logProgress(context);
    const onRan = ({ version, name, seconds }: { version: number; name: string; seconds: number }) =>
      report(`${version} (${name}) took ${seconds.toFixed(1)} s.`);
    const ran = await migrate(connection, { migrations: MIGRATIONS, clock: context.clock, onRan });
    const text = ran.length === 0 ? 'There was nothing to migrate.\n' : `Ran ${ran.join(', ')}.\n`;
    printResult(context, options, { ran, version: known }, text);
  });
}
