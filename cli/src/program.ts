import { Command, CommanderError } from 'commander';
import { CliError, failureResult } from './cli-error.ts';
import { type CompletionWords, completionCommand } from './commands/completion.ts';
import { recountCommand } from './commands/recount.ts';
import { sourcesCommand } from './commands/sources.ts';
import { submitCommand } from './commands/submit.ts';
import { watchCommand } from './commands/watch.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { EXIT, type ExitName } from './exit-codes.ts';
import { openScreen, type Screen } from './output/screen.ts';
import { DEFAULT_BASE_URL, type Flags, readSettings, type Settings } from './settings.ts';
import { PLATFORMS } from './sources/platforms.ts';
import { VERSION } from './version.ts';

/**
 * The implementation of a command. Commands that send requests are loaded on demand. Those that scan are not: they are
 * small, and loading them would take longer than a scan of unchanged logs.
 */
type Action<F> = (settings: Settings, env: Environment, screen: Screen, flags: F) => Promise<ExitName>;

/** Registers an action under a command. */
type Register = <F>(command: Command, load: () => Promise<Action<F>>) => void;

/** Runs the tool on the arguments after the program's name; returns the exit status and never throws. */
export async function run(argv: readonly string[]): Promise<number> {
  const env = readEnvironment();
  const json = argv.includes('--json');
  const screen = openScreen({ json, color: !env.noColor && !argv.includes('--no-color') });
  let exit: ExitName = 'ok';
  const register: Register = (command, load) => {
    command.action(async () => {
      const flags = command.optsWithGlobals<Flags & Parameters<Awaited<ReturnType<typeof load>>>[3]>();
      const settings = readSettings(flags, env);
      exit = await (await load())(settings, env, screen, flags);
    });
  };
  const program = buildProgram();
  addCommands(program, register, screen);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return EXIT[exit];
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, screen);
    // Commander has printed help or version.
    return error.exitCode === 0 ? EXIT.ok : reportFailure(usageError(error, program), screen);
  }
}

/** Commander's own error output is off: usage errors are reported like other failures. */
function buildProgram(): Command {
  return new Command('upsilon')
    .description('Counts the tokens in local AI tool logs, signs the four totals and submits them to the leaderboard.')
    .version(VERSION)
    .option('--dry-run', 'scan and show exactly what would be sent; sends and writes nothing, needs no sign-in')
    .option('--mcp', 'run an MCP server on stdin and stdout')
    .option('--platform <name>', 'only this platform (repeatable)', collect)
    .option('--since <date>', 'also show the usage since this day (submissions carry all-time totals)')
    .option('--source-dir <dir>', 'look for logs here instead of the default places (repeatable)', collect)
    .option('--base-url <url>', `address of the service (UPSILON_BASE_URL; default ${DEFAULT_BASE_URL})`)
    .option('--token <token>', 'access token (better: UPSILON_TOKEN, which other users of this machine cannot see)')
    .option('--codename <name>', 'your codename on the board (UPSILON_CODENAME)')
    .option('--config-dir <dir>', 'the folder of key and ledger (UPSILON_CONFIG_DIR)')
    .option('--json', 'print one JSON object instead of text')
    .option('--no-color', 'no colours (NO_COLOR)')
    .allowExcessArguments(false)
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
}

function addCommands(program: Command, register: Register, screen: Screen): void {
  register(program, async () => async (settings, env, to, flags: { readonly mcp?: boolean }) => {
    if (flags.mcp === true) return (await import('./mcp/serve.ts')).serveMcp(settings, env);
    return submitCommand(settings, env, to);
  });
  const add = (name: string, description: string): Command => program.command(name).description(description);
  register(
    add('login', 'sign in').option('--device', 'with a code that you enter on another device'),
    async () => (await import('./commands/online.ts')).loginCommand,
  );
  register(add('logout', 'sign out'), async () => (await import('./commands/online.ts')).logoutCommand);
  register(add('whoami', 'show your codename'), async () => (await import('./commands/online.ts')).whoamiCommand);
  register(
    add('status', 'show your rank, and what this machine submitted'),
    async () => (await import('./commands/online.ts')).statusCommand,
  );
  register(add('sources', 'show what was found where, and how it is counted'), async () => sourcesCommand);
  register(
    add('watch', 'submit repeatedly').option('--interval <minutes>', 'how often (default 15)'),
    async () => watchCommand,
  );
  register(
    add('recount', 'recount all logs and start a new epoch').option(
      '--logs-only',
      'drop usage whose logs were deleted',
    ),
    async () => recountCommand,
  );
  register(
    add('subscribe', 'start a paid plan')
      .option('--annual', 'pay yearly')
      .option('--yes', 'open the checkout without asking'),
    async () => (await import('./commands/online.ts')).subscribeCommand,
  );
  addDevices(add('devices', 'manage your enrolled keys'), register);
  const completion = add('completion', 'print a completion script for bash, zsh or fish').argument('<shell>');
  register(
    completion,
    async () => async () => completionCommand(completion.args[0]!, completionWords(program), screen),
  );
}

function optionsOf(command: Command): readonly string[] {
  return command.options.flatMap(({ long }) => long ?? []);
}

function completionWords(program: Command): CompletionWords {
  const wordsOf = (command: Command): readonly string[] => [
    ...optionsOf(command),
    ...command.commands.map((each) => each.name()),
  ];
  return {
    commands: Object.fromEntries(program.commands.map((each) => [each.name(), wordsOf(each)])),
    options: optionsOf(program),
    values: { '--platform': PLATFORMS.filter((platform) => platform !== 'other') },
  };
}

function addDevices(devices: Command, register: Register): void {
  register(
    devices.command('list', { isDefault: true }).description('show them'),
    async () => (await import('./commands/online.ts')).listDevicesCommand,
  );
  const revoke = devices.command('revoke').description('revoke one').argument('<kid>');
  register(revoke, async () => async (settings, env, screen) => {
    const { revokeDeviceCommand } = await import('./commands/online.ts');
    return revokeDeviceCommand(settings, env, screen, revoke.args[0]!);
  });
}

function collect(value: string, values: readonly string[] | undefined): readonly string[] {
  return [...(values ?? []), value];
}

function usageError(error: CommanderError, program: Command): CliError {
  const [word] = program.args;
  const isKnown = program.commands.some((command) => command.name() === word);
  // The main command takes no arguments, so commander reports a mistyped command as an excess argument.
  const isMistyped = error.code === 'commander.excessArguments' && word !== undefined && !isKnown;
  const message = isMistyped ? `there is no command "${word}"` : error.message.replace(/^error: /, '');
  return new CliError('usage', 'usage', message, 'See upsilon --help.');
}

/** Reports a failure, as text or as the JSON object, and returns the exit status. */
function reportFailure(error: unknown, screen: Screen): number {
  const known =
    error instanceof CliError ? error : new CliError('internal', 'internal', `unexpected failure: ${String(error)}`);
  screen.result(failureResult(known));
  screen.failure(known.message, known.hint);
  return EXIT[known.exit];
}
