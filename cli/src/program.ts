import { CommanderError, Command as Registered } from 'commander';
import { listText, WINDOWS } from '../../engine/contract/windows.ts';
import { CliError, EXIT, type ExitName, failureResult } from './cli-error.ts';
import type { Command } from './command-context.ts';
import type { CompletionWords } from './commands/completion.ts';
import type { ViewOptions } from './commands/usage-view.ts';
import { readEnvironment } from './environment.ts';
import { holdText, openScreen, type Screen } from './output/screen.ts';
import type { Flags } from './settings.ts';
import { VERSION } from './version.ts';

/** Registers the implementation of a command, which is loaded when it runs: `--help` needs none. */
type Register = <Options>(registered: Registered, load: () => Promise<Command<Options>>) => void;

/** Runs the tool on the arguments after the program's name; returns the exit status and never throws. */
export async function run(argv: readonly string[]): Promise<number> {
  const env = readEnvironment();
  // What follows are arguments of another program.
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const json = own.includes('--json');
  const color = !env.noColor && !own.includes('--no-color');
  const screen = openScreen({ json, color, verbose: own.includes('--verbose'), command: env.command });
  let exit: ExitName = 'ok';
  const register = <Options>(registered: Registered, load: () => Promise<Command<Options>>): void => {
    registered.action(async () => {
      const options = registered.optsWithGlobals<Flags & Options>();
      const [argument = ''] = registered.args;
      const { readSettings, selectService } = await scanning();
      const settings = await selectService(readSettings(options, env), registered.name());
      const context = { settings, env, screen, options: { ...options, argument, words: registered.args } };
      exit = await (await load())(context);
    });
  };
  const program = buildProgram();
  addCommands(program, register);
  addExamples(program);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return EXIT[exit];
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, screen);
    // Commander has printed help or version.
    return error.exitCode === 0 ? EXIT.ok : reportFailure(usageError(error, program), screen);
  }
}

/** Columns beside the names of options from which their help is wrapped at spaces: commander's own 40 break words at 60. */
const MIN_HELP_COLUMNS = 20;

/** Options of the main command alone, and of commands whose description names them. */
const MAIN_OPTIONS = new Set(['--version', '--dry-run', '--requests', '--mcp', '--no-history', '--quiet']);

const MAIN_HELP = `
Only upsilon itself, watch and service send your counts;
what reads the board sends a Yield at most.

Example: upsilon --dry-run`;

/** The groups of commands in the help, with an example for the help of each. */
const EXAMPLES = `The board:|login --service work|logout|whoami|services|status --verbose|share|why --window 7d|goal --tier BASE
|what-if --output +10% --input 7M|league board SLUG --window 7d|league join SLUG CODE|verify nova-7 --save nova-7.json
|recompute https://SITE/archive --day 2026-05-31|subscribe --annual|Your usage:|daily --since 7d --by model|weekly --by project
|monthly --csv|session --since yesterday --order desc|blocks --active|top --interval 2|statusline --max-age 10|prices
|import report.json --dry-run|This machine:|sources --platform codex|watch --interval 30|recount --logs-only|devices revoke KID
|service install --hook claude-code --notify|service uninstall|completion bash`;

/** Commander's own error output is off: usage errors are reported like other failures. */
function buildProgram(): Registered {
  const program = new Registered('upsilon');
  return program
    .description('Counts the tokens in local AI tool logs, signs the four totals and submits them to the leaderboard.')
    .version(VERSION)
    .option('--dry-run', 'scan, and show what would be sent; sends no counts, writes nothing, needs no sign-in')
    .option('--requests', 'with --dry-run: also show each request byte for byte')
    .option('--mcp', 'run as an MCP server on stdin and stdout')
    .option('--platform <name>', 'only this platform (repeatable)', collect)
    .option('--since <date>', 'show the usage since this day: 2026-05-31, 20260531, yesterday or 7d')
    .option('--source-dir <dir>', 'look for logs here instead of the default places (repeatable)', collect)
    .option('--no-history', 'do not send the totals at the end of each past day (UPSILON_HISTORY=off)')
    .option('--base-url <url>', 'address of the service (UPSILON_BASE_URL; default: the one you last signed in to)')
    .option('--service <name>', 'the service that you signed in to under this name (UPSILON_SERVICE)')
    .option('--token <token>', 'access token (better: UPSILON_TOKEN, which other users of this machine cannot see)')
    .option('--codename <name>', 'your codename on the board (UPSILON_CODENAME)')
    .option('--config-dir <dir>', 'folder of the key and the ledger (UPSILON_CONFIG_DIR)')
    .option('--json', 'print one JSON object instead of text')
    .option('--no-color', 'no colours (NO_COLOR)')
    .option('--quiet', 'print nothing when a submission succeeds')
    .option('--verbose', 'also show requests, streams and files')
    .allowExcessArguments(false)
    .commandsGroup('This machine:')
    .helpCommand(true)
    .addHelpText('after', MAIN_HELP)
    .configureHelp({
      minWidthToWrap: MIN_HELP_COLUMNS,
      showGlobalOptions: true,
      visibleGlobalOptions: ({ parent }) =>
        parent === null ? [] : program.options.filter(({ long }) => !MAIN_OPTIONS.has(long ?? '')),
    })
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
}

/** The windows that have a start, for help. */
const PERIODS = listText(WINDOWS.slice(1), 'or');

const scanning = () => import('./commands/scanning.ts');
const online = () => import('./commands/online.ts');
const background = () => import('./commands/service.ts');
const local = () => import('./commands/local.ts');

/** The views of the usage on this machine. */
const VIEWS = [
  ['daily', 'by day'],
  ['weekly', 'by week, from Monday'],
  ['monthly', 'by month'],
  ['session', 'by session of a tool'],
  ['blocks', 'by window of five hours'],
] as const;

const mainCommand: Command<{ readonly mcp?: boolean; readonly quiet?: boolean }> = async (context) => {
  if (context.options.mcp === true) return (await import('./mcp/serve.ts')).serveMcp(context);
  const { held, show } = holdText(context.screen);
  const { submitCommand } = await scanning();
  const exit = await submitCommand({ ...context, screen: context.options.quiet === true ? held : context.screen });
  if (exit !== 'ok') show();
  return exit;
};

function addExamples(program: Registered): void {
  let group = '';
  for (const example of EXAMPLES.replaceAll('\n', '').split('|')) {
    const [name, part] = example.split(' ');
    const command = program.commands.find((each) => each.name() === name)?.helpGroup(group);
    const shown = command?.commands.find((each) => each.name() === part) ?? command;
    shown?.addHelpText('after', `\nExample: upsilon ${example}`);
    if (command === undefined) group = example;
  }
}

type Add = (name: string, description: string) => Registered;

function addCommands(program: Registered, register: Register): void {
  const add: Add = (name, description) => program.command(name).description(description);
  register(program, async () => mainCommand);
  const login = add('login', 'sign in').option('--device', 'by entering a code on another device');
  register(login, async () => (await online()).loginCommand);
  register(add('logout', 'sign out'), async () => (await online()).logoutCommand);
  register(add('whoami', 'show the account you are signed in as'), async () => (await online()).whoamiCommand);
  register(
    add('services', 'list the services that you are signed in to'),
    async () => (await online()).servicesCommand,
  );
  const status = add(
    'status',
    'show your rank, what this machine has submitted, and whether the service offers a newer tool',
  );
  register(status, async () => (await online()).statusCommand);
  const share = add('share', 'show your badge and card as Markdown and HTML, and a text for a post');
  register(share, async () => (await online()).shareCommand);
  addViews(add, register);
  register(add('prices', 'show the prices that costs are computed from'), async () => (await local()).pricesCommand);
  register(
    add('sources', 'show which logs were found, where, and how they are counted'),
    async () => (await scanning()).sourcesCommand,
  );
  const watch = add('watch', 'submit repeatedly').option('--interval <minutes>', 'how often (default 15)');
  register(watch, async () => (await scanning()).watchCommand);
  addServiceCommands(add('service', 'submit every hour in the background'), register);
  const recount = add('recount', 'recount all logs and start a new epoch');
  recount.option('--logs-only', 'leave out usage whose logs were deleted');
  register(recount, async () => (await scanning()).recountCommand);
  const recompute = add('recompute', 'check a daily archive of the board, and recompute its ranks')
    .argument('<archive>', 'its folder or address')
    .option('--day <date>', 'the lines of this day alone')
    .option('--link <sha256>', 'that of a link that you saved: the chain must have it');
  register(recompute, async () => (await import('./commands/recompute.ts')).recomputeCommand);
  const subscribe = add('subscribe', 'start a paid plan').option('--annual', 'pay yearly');
  subscribe.option('--yes', 'open the checkout without asking');
  register(subscribe, async () => (await online()).subscribeCommand);
  const devices = add('devices', 'manage your enrolled keys');
  const list = devices.command('list', { isDefault: true }).description('list your keys');
  register(list, async () => (await online()).listDevicesCommand);
  const revoke = devices.command('revoke').description('revoke a key').argument('<kid>');
  register(revoke, async () => (await online()).revokeDeviceCommand);
  const verify = add('verify', 'verify the signatures of an open row and recompute its windows');
  verify.argument('<codename>').option('--save <file>', 'also keep the answer in this file');
  verify.option('--from <file>', 'check a saved answer instead, without the service');
  register(verify, async () => (await online()).verifyCommand);
  addLeagueCommands(add('league', 'show and join leagues: boards of a team'), register);
  const completion = add('completion', 'print a completion script for bash, zsh or fish').argument('<shell>');
  register(completion, async () => {
    const { completionCommand, PLATFORMS } = await scanning();
    return completionCommand(completionWords(program, PLATFORMS));
  });
}

/** The views of local logs. */
function addViews(add: Add, register: Register): void {
  for (const [view, how] of VIEWS) {
    const command = add(view, `show tokens, cost and Yield ${how}`)
      .option('--by <what>', 'platform, model or project: a row for each')
      .option('--until <date>', 'up to this day; --since is the first day')
      .option('--order <order>', 'asc (default) or desc: the latest first')
      .option('--csv', 'print CSV');
    if (view === 'blocks') command.option('--active', 'only those that have not ended');
    register<ViewOptions>(timeZoneOption(command), async () => (await local()).viewCommand(view));
  }
  const top = add('top', 'show the usage of the day as it grows, and your rank').option(
    '--interval <seconds>',
    'how often to look (default 5)',
  );
  register(timeZoneOption(top), async () => (await local()).topCommand);
  const statusline = add(
    'statusline',
    'print one line for a prompt or a status line: usage of the day and of the block',
  );
  statusline.option('--max-age <seconds>', 'look for new logs only when the last look is older (default 60)');
  register(timeZoneOption(statusline), async () => (await local()).statuslineCommand);
  const imported = add(
    'import',
    'add days whose logs are gone: ccusage daily --json --by-agent, or tokscale graph; --dry-run only shows them',
  ).argument('<file>');
  register(timeZoneOption(imported), async () => (await local()).importCommand);
  const why = add('why', 'show which days, sessions and models moved your Yield')
    .option('--window <name>', `all_time (since --since, default 7 days ago), ${PERIODS}: against the period before`)
    .option('--by <what>', 'only by day, session, model, project or platform, and all of them');
  register(timeZoneOption(why), async () => (await local()).whyCommand);
  const whatIf = add('what-if', 'show the rank and tier of your counts, or of others')
    .option('--window <name>', `all_time (default), ${PERIODS}`)
    .option('--input <count>', 'a count or a change: 1.5M, +200k, -10%, x2')
    .option('--output <count>', 'the same of the output')
    .option('--cache-read <count>', 'the same of the cache reads')
    .option('--cache-write <count>', 'the same of the cache writes');
  register(whatIf, async () => (await local()).whatIfCommand);
  const goal = add('goal', 'show what the next rank and tier take')
    .option('--window <name>', `all_time (default), ${PERIODS}`)
    .option('--rank <rank>', 'this rank instead of the next')
    .option('--tier <name>', 'this tier instead of the next');
  register(goal, async () => (await local()).goalCommand);
}

function timeZoneOption(command: Registered): Registered {
  return command.option('--timezone <name>', 'whose days to show (default: those of this machine)');
}

function addServiceCommands(service: Registered, register: Register): void {
  const install = service
    .command('install')
    .description('install it for your sign-in (--dry-run shows what it writes)');
  install.option('--hook <tool>', 'also submit when a session of this tool ends (repeatable)', collect);
  install.option('--yes', "change the tools' settings without asking");
  install.option('--notify', 'show a notification when your rank or tier changes');
  install.option('--on-change <program>', 'run this program then, with the words after --; it gets JSON on its input');
  install.argument('[arguments...]');
  register(install, async () => (await background()).installServiceCommand);
  const status = service.command('status', { isDefault: true }).description('show it and its last runs');
  register(status, async () => (await background()).serviceStatusCommand);
  const uninstall = service.command('uninstall').description('remove it and its hooks');
  register(uninstall, async () => (await background()).uninstallServiceCommand);
  const hidden = service.command('run', { hidden: true }).option('--detach');
  register(hidden, async () => (await background()).runServiceCommand);
}

function addLeagueCommands(league: Registered, register: Register): void {
  const list = league.command('list', { isDefault: true }).description('list the leagues that you are in');
  register(list, async () => (await online()).listLeaguesCommand);
  // Slugs and codes are random, and may begin with a hyphen.
  const board = league
    .command('board')
    .description('show the board of a league')
    .argument('<slug>')
    .allowUnknownOption();
  board.option('--window <name>', `all_time (default), ${PERIODS}`);
  board.option('--season <day>', 'the season that begins on this day, in place of a window');
  register(board, async () => (await online()).leagueBoardCommand);
  const join = league.command('join').description('show a league and who will see what, and join it');
  join.option('--yes', 'join without asking');
  register(
    join.argument('<slug>').argument('<code>').allowUnknownOption(),
    async () => (await online()).joinLeagueCommand,
  );
}

function optionsOf(command: Registered): readonly string[] {
  return command.options.flatMap(({ long }) => long ?? []);
}

function completionWords(program: Registered, platforms: readonly string[]): CompletionWords {
  const commands = program.commands.map((command) => {
    return [command.name(), [...optionsOf(command), ...command.commands.map((each) => each.name())]] as const;
  });
  return {
    commands: Object.fromEntries(commands),
    options: optionsOf(program),
    values: { '--platform': platforms.filter((platform) => platform !== 'other') },
  };
}

function collect(value: string, values: readonly string[] | undefined): readonly string[] {
  return [...(values ?? []), value];
}

function usageError(error: CommanderError, program: Registered): CliError {
  const [word = '', next = ''] = program.args;
  const known = program.commands.find((command) => command.name() === word);
  const [group, typed, before] = known === undefined ? [program, word, ''] : [known, next, `${word} `];
  // A mistyped command is an argument of the main command, or of the default command of a group, which take none.
  const isArgument = error.code === 'commander.excessArguments' || (group === program && /^[^-]/.test(word));
  const isMistyped = isArgument && group.commands.length > 0 && group.commands.every((each) => each.name() !== typed);
  const text = isMistyped
    ? unknownCommandText(typed, group).replace(`'${typed}'`, `'${before}${typed}'`)
    : error.message;
  return new CliError('usage', 'usage', text.replace(/^error: /, ''), `See upsilon ${before}--help.`);
}

/** Commander's text for an unknown command, with the similar ones, which it has only where the command of the group does nothing. */
function unknownCommandText(word: string, { commands }: Registered): string {
  const bare = new Registered().configureOutput({ outputError: () => undefined }).exitOverride();
  for (const each of commands) bare.command(each.name());
  try {
    bare.parse([word], { from: 'user' });
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
