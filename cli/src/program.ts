import { CommanderError, Command as Registered } from 'commander';
import { openSessions } from './auth/sessions.ts';
import { CliError, EXIT, type ExitName, failureResult } from './cli-error.ts';
import type { Command } from './command-context.ts';
import { type CompletionWords, completionCommand } from './commands/completion.ts';
import { recountCommand } from './commands/recount.ts';
import { sourcesCommand } from './commands/sources.ts';
import { submitCommand } from './commands/submit.ts';
import { watchCommand } from './commands/watch.ts';
import { readEnvironment } from './environment.ts';
import { openScreen, type Screen } from './output/screen.ts';
import { type Flags, readSettings, type Settings } from './settings.ts';
import { PLATFORMS } from './sources/registry.ts';
import { VERSION } from './version.ts';

/**
 * Registers the implementation of a command. Commands that send requests are loaded on demand. Those that scan are not: they
 * are small, and loading them would take longer than a scan of unchanged logs.
 */
type Register = <Options>(registered: Registered, load: () => Promise<Command<Options>>) => void;

/** Runs the tool on the arguments after the program's name; returns the exit status and never throws. */
export async function run(argv: readonly string[]): Promise<number> {
  const env = readEnvironment();
  const json = argv.includes('--json');
  const color = !env.noColor && !argv.includes('--no-color');
  const screen = openScreen({ json, color, command: env.command });
  let exit: ExitName = 'ok';
  const register = <Options>(registered: Registered, load: () => Promise<Command<Options>>): void => {
    registered.action(async () => {
      const options = registered.optsWithGlobals<Flags & Options>();
      const [argument = ''] = registered.args;
      const settings = await withLatestService(readSettings(options, env));
      const context = { settings, env, screen, options: { ...options, argument } };
      exit = await (await load())(context);
    });
  };
  const program = buildProgram();
  addCommands(program, register);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return EXIT[exit];
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, screen);
    // Commander has printed help or version.
    return error.exitCode === 0 ? EXIT.ok : reportFailure(usageError(error, program), screen);
  }
}

/** Without `--base-url` and its variable, a run uses the service of the latest sign-in. */
async function withLatestService(settings: Settings): Promise<Settings> {
  const latest = settings.isBaseUrlGiven ? null : await openSessions(settings.configDir, false).latest();
  return latest === null ? settings : { ...settings, baseUrl: latest.base_url };
}

/** Columns beside the names of options from which their help is wrapped at spaces: commander's own 40 break words at 60. */
const MIN_HELP_COLUMNS = 20;

/** Commander's own error output is off: usage errors are reported like other failures. */
function buildProgram(): Registered {
  return new Registered('upsilon')
    .description('Counts the tokens in local AI tool logs, signs the four totals and submits them to the leaderboard.')
    .version(VERSION)
    .option('--dry-run', 'scan and show exactly what would be sent; sends and writes nothing, needs no sign-in')
    .option('--mcp', 'run as an MCP server on stdin and stdout')
    .option('--platform <name>', 'only this platform (repeatable)', collect)
    .option('--since <date>', 'also show the usage since this day (submissions carry all-time totals)')
    .option('--source-dir <dir>', 'look for logs here instead of the default places (repeatable)', collect)
    .option('--no-history', 'do not send the totals at the end of each past day (UPSILON_HISTORY=off)')
    .option('--base-url <url>', 'address of the service (UPSILON_BASE_URL; default: the one you last signed in to)')
    .option('--token <token>', 'access token (better: UPSILON_TOKEN, which other users of this machine cannot see)')
    .option('--codename <name>', 'your codename on the board (UPSILON_CODENAME)')
    .option('--config-dir <dir>', 'folder of the key and the ledger (UPSILON_CONFIG_DIR)')
    .option('--json', 'print one JSON object instead of text')
    .option('--no-color', 'no colours (NO_COLOR)')
    .allowExcessArguments(false)
    .helpCommand(true)
    .configureHelp({ minWidthToWrap: MIN_HELP_COLUMNS })
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
}

const online = () => import('./commands/online.ts');

const mainCommand: Command<{ readonly mcp?: boolean }> = async (context) =>
  context.options.mcp === true ? (await import('./mcp/serve.ts')).serveMcp(context) : submitCommand(context);

function addCommands(program: Registered, register: Register): void {
  const add = (name: string, description: string): Registered => program.command(name).description(description);
  register(program, async () => mainCommand);
  const login = add('login', 'sign in').option('--device', 'by entering a code on another device');
  register(login, async () => (await online()).loginCommand);
  register(add('logout', 'sign out'), async () => (await online()).logoutCommand);
  register(add('whoami', 'show the account you are signed in as'), async () => (await online()).whoamiCommand);
  const status = add('status', 'show your rank and what this machine has submitted');
  register(status, async () => (await online()).statusCommand);
  register(add('sources', 'show which logs were found, where, and how they are counted'), async () => sourcesCommand);
  const watch = add('watch', 'submit repeatedly').option('--interval <minutes>', 'how often (default 15)');
  register(watch, async () => watchCommand);
  const recount = add('recount', 'recount all logs and start a new epoch');
  recount.option('--logs-only', 'leave out usage whose logs were deleted');
  register(recount, async () => recountCommand);
  const subscribe = add('subscribe', 'start a paid plan').option('--annual', 'pay yearly');
  subscribe.option('--yes', 'open the checkout without asking');
  register(subscribe, async () => (await online()).subscribeCommand);
  const devices = add('devices', 'manage your enrolled keys');
  const list = devices.command('list', { isDefault: true }).description('list your keys');
  register(list, async () => (await online()).listDevicesCommand);
  const revoke = devices.command('revoke').description('revoke a key').argument('<kid>');
  register(revoke, async () => (await online()).revokeDeviceCommand);
  const completion = add('completion', 'print a completion script for bash, zsh or fish').argument('<shell>');
  register(completion, async () => completionCommand(completionWords(program)));
}

function optionsOf(command: Registered): readonly string[] {
  return command.options.flatMap(({ long }) => long ?? []);
}

function completionWords(program: Registered): CompletionWords {
  const commands = program.commands.map((command) => {
    return [command.name(), [...optionsOf(command), ...command.commands.map((each) => each.name())]] as const;
  });
  return {
    commands: Object.fromEntries(commands),
    options: optionsOf(program),
    values: { '--platform': PLATFORMS.filter((platform) => platform !== 'other') },
  };
}

function collect(value: string, values: readonly string[] | undefined): readonly string[] {
  return [...(values ?? []), value];
}

function usageError(error: CommanderError, program: Registered): CliError {
  const [word] = program.args;
  const isKnown = program.commands.some((command) => command.name() === word);
  // The main command takes no arguments, so commander reports a mistyped command as an excess argument.
  const isMistyped = error.code === 'commander.excessArguments' && word !== undefined && !isKnown;
  const message = isMistyped ? unknownCommandText(word) : error.message;
  return new CliError('usage', 'usage', message.replace(/^error: /, ''), 'See upsilon --help.');
}

/** Commander's text for an unknown command, with the similar ones, which it has only where the main command does nothing. */
function unknownCommandText(word: string): string {
  const program = buildProgram();
  addCommands(program, () => undefined);
  try {
    program.parse([word], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
  }
  return `unknown command '${word}'`;
}

/** Reports a failure, as text or as the JSON object, and returns the exit status. */
function reportFailure(error: unknown, screen: Screen): number {
  const known =
    error instanceof CliError ? error : new CliError('internal', 'internal', `unexpected failure: ${String(error)}`);
  screen.result(failureResult(known, screen.asRun));
  screen.failure(known.message, known.hint);
  return EXIT[known.exit];
}
