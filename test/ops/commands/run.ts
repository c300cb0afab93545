import type { CommandContext } from '../../../ops/commands/command-context.ts';
import { runCommands } from '../../../ops/commands/run-commands.ts';
import type { FreshDatabase } from '../../support/engines.ts';

export interface CommandResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** The time at which commands run in tests. */
export const NOW = Date.parse('2026-03-01T12:00:00.000Z');

/** No service runs over this data folder. */
const SETTINGS = {
  BASE_URL: 'http://api.localhost/api/v1',
  DATA_DIR: '/nonexistent/upsilon',
};

/** Runs one operator command on a separate database, with its settings of billing if it has any. */
export async function run(
  { mongoUrl, redisUrl, prefix, billing }: FreshDatabase & Pick<CommandContext, 'billing'>,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  now: number = NOW,
): Promise<CommandResult> {
  let out = '';
  let err = '';
  const status = await runCommands(args, {
    environment: { ...SETTINGS, MONGODB_URL: mongoUrl, REDIS_URL: redisUrl, ...environment },
    clock: () => now,
    billing,
    queuePrefix: prefix,
    print: (text) => {
      out += text;
    },
    printError: (text) => {
      err += text;
    },
  });
  return { status, out, err };
}
