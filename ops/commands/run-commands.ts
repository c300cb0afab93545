import { Command, CommanderError } from 'commander';
import { redactUrl } from '../../config/redact-url.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { SecretsKeyError } from '../../engine/accounts/index.ts';
import { DataVersionError, UnfinishedImportError } from '../../engine/mongo/index.ts';
import { StartError } from '../local/starter/preconditions.ts';
import { addArchiveCommands } from './archive-commands.ts';
import { addBillingCommands } from './billing-commands.ts';
import { addBoardCommands } from './board-commands.ts';
import { type CommandContext, CommandError } from './command-context.ts';
import { addDataCommands } from './data-commands.ts';
import { addDeviceCommands } from './device-commands.ts';
import { addErasureCommands } from './erasure-commands.ts';
import { addIntegrityCommands } from './integrity-commands.ts';
import { addJobsCommands } from './jobs-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { addMethodologyCommands } from './methodology-commands.ts';
import { addMigrationCommands } from './migration-commands.ts';
import { addModeratorCommands } from './moderator-commands.ts';
import { addOperatorCommands } from './operator-commands.ts';
import { addQueueCommands } from './queue-commands.ts';
import { addSnapshotCommands } from './snapshot-commands.ts';

const STATUS_FAILED = 1;
const STATUS_SETTINGS = 78;

/**
 * Runs one operator command and returns the exit status, 0 on success. Results go to `print`; errors go to `printError`,
 * with a remedy and without a stack trace.
 */
export async function runCommands(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    await programOf(context).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    context.printError(`${errorText(error)}\n`);
    return isSettingsError(error) ? STATUS_SETTINGS : STATUS_FAILED;
  }
}

function programOf(context: CommandContext): Command {
  const program = new Command('ops')
    .description(
      'Operator commands of the service. Without MONGODB_URL and REDIS_URL they use the running "npm start"; those of backup and ' +
        'restore also start its engines.',
    )
    .configureOutput({ writeOut: context.print, writeErr: context.printError })
    .showHelpAfterError('(--help shows the usage)')
    .exitOverride();
  addOperatorCommands(program, context);
  addDeviceCommands(program, context);
  addModeratorCommands(program, context);
  addIntegrityCommands(program, context);
  addQueueCommands(program, context);
  addJobsCommands(program, context);
  addKeyCommands(program, context);
  addErasureCommands(program, context);
  addBillingCommands(program, context);
  addSnapshotCommands(program, context);
  addBoardCommands(program, context);
  addArchiveCommands(program, context);
  addDataCommands(program, context);
  addMigrationCommands(program, context);
  addMethodologyCommands(program, context);
  return program;
}

function isSettingsError(error: unknown): error is Error {
  return error instanceof SettingsError || error instanceof SecretsKeyError;
}

function errorText(error: unknown): string {
  if (error instanceof CommandError) return `Error: ${error.message}.\n${error.next}`;
  if (isSettingsError(error)) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  if ([DataVersionError, UnfinishedImportError, StartError].some((kind) => error instanceof kind))
    return `Error: ${message}`;
  return `Error: ${redactUrl(message)}\nThe cause is unknown. See the logs of the service, then try again.`;
}
