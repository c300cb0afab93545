import { Command, CommanderError } from 'commander';
import { redactUrl } from '../../config/redact-url.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { SecretsKeyError } from '../../engine/accounts/index.ts';
import { addBillingCommands } from './billing-commands.ts';
import { addBoardCommands } from './board-commands.ts';
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
import type { Surroundings } from './surroundings.ts';

const STATUS_FAILED = 1;
const STATUS_SETTINGS = 78;

/**
 * Runs one operator command and answers the exit status: 0 when it is done. What was asked for is printed; what went
 * wrong is complained of, with what to do next and without a stack trace.
 */
export async function runCommands(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    await programOf(surroundings).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    surroundings.complain(`${complaintOf(error)}\n`);
    return isOfSettings(error) ? STATUS_SETTINGS : STATUS_FAILED;
  }
}

function programOf(surroundings: Surroundings): Command {
  const program = new Command('ops')
    .description(
      'Operator commands of the service. Without MONGODB_URL and REDIS_URL they work on the running "npm start".',
    )
    .configureOutput({ writeOut: surroundings.print, writeErr: surroundings.complain })
    .showHelpAfterError('(--help shows how it is used)')
    .exitOverride();
  addOperatorCommands(program, surroundings);
  addDeviceCommands(program, surroundings);
  addQueueCommands(program, surroundings);
  addJobsCommands(program, surroundings);
  addKeyCommands(program, surroundings);
  addErasureCommands(program, surroundings);
  addBillingCommands(program, surroundings);
  addSnapshotCommands(program, surroundings);
  addBoardCommands(program, surroundings);
  addDataCommands(program, surroundings);
  addMigrationCommands(program, surroundings);
  addMethodologyCommands(program, surroundings);
  return program;
}

function isOfSettings(error: unknown): error is Error {
  return error instanceof SettingsError || error instanceof SecretsKeyError;
}

function complaintOf(error: unknown): string {
  if (error instanceof CommandError) return `Error: ${error.message}.\n${error.next}`;
  if (isOfSettings(error)) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `Error: ${redactUrl(message)}\nNothing more is known. Look at the logs of the service, then try again.`;
}
