import { Command, CommanderError } from 'commander';
import { redactUrl } from '../../config/redact-url.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { SecretsKeyError } from '../../engine/accounts/index.ts';
import { addBillingCommands } from './billing-commands.ts';
import { addBoardCommands } from './board-commands.ts';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { addDataCommands } from './data-commands.ts';
import { addDeviceCommands } from './device-commands.ts';
import { addErasureCommands } from './erasure-commands.ts';
import { addJobsCommands } from './jobs-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { addMethodologyCommands } from './methodology-commands.ts';
import { addMigrationCommands } from './migration-commands.ts';
import { addOperatorCommands } from './operator-commands.ts';
import { addQueueCommands } from './queue-commands.ts';
import { addSnapshotCommands } from './snapshot-commands.ts';

const STATUS_FAILED = 1;
const STATUS_SETTINGS = 78;

/**
 * Runs one operator command and answers the exit status: 0 when it is done. What was asked for is printed; what went
 * wrong is complained of, with what to do next and without a stack trace.
 */
export async function runCommands(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    await programOf(context).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    context.logThrottled(`${throttledLogOf(error)}\n`);
    return isOfSettings(error) ? STATUS_SETTINGS : STATUS_FAILED;
  }
}

function programOf(context: CommandContext): Command {
  const program = new Command('ops')
    .description(
      'Operator commands of the service. Without MONGODB_URL and REDIS_URL they work on the running "npm start".',
    )
    .configureOutput({ writeOut: context.print, writeErr: context.logThrottled })
    .showHelpAfterError('(--help shows how it is used)')
    .exitOverride();
  addOperatorCommands(program, context);
  addDeviceCommands(program, context);
  addQueueCommands(program, context);
  addJobsCommands(program, context);
  addKeyCommands(program, context);
  addErasureCommands(program, context);
  addBillingCommands(program, context);
  addSnapshotCommands(program, context);
  addBoardCommands(program, context);
  addDataCommands(program, context);
  addMigrationCommands(program, context);
  addMethodologyCommands(program, context);
  return program;
}

function isOfSettings(error: unknown): error is Error {
  return error instanceof SettingsError || error instanceof SecretsKeyError;
}

function throttledLogOf(error: unknown): string {
  if (error instanceof CommandError) return `Error: ${error.message}.\n${error.next}`;
  if (isOfSettings(error)) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `Error: ${redactUrl(message)}\nNothing more is known. Look at the logs of the service, then try again.`;
}
