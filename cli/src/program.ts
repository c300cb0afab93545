import { Command, CommanderError } from 'commander';
import { CliError } from './cli-error.ts';
import { readEnvironment } from './environment.ts';
import { EXIT } from './exit-codes.ts';
import { openScreen, type Screen } from './output/screen.ts';
import { DEFAULT_BASE_URL, type Flags, readSettings } from './settings.ts';
import { VERSION } from './version.ts';

/** Runs the tool on the arguments after the program's name; answers the exit code and never throws. */
export async function run(argv: readonly string[]): Promise<number> {
  const env = readEnvironment();
  const json = argv.includes('--json');
  const screen = openScreen({ json, color: !env.noColor && !argv.includes('--no-color') });
  let exit: number = EXIT.ok;
  const program = buildProgram(json).action(async (flags: Flags) => {
    const settings = readSettings(flags, env);
    // Loaded only now, so that --help and usage errors need none of it.
    const { submitCommand } = await import('./commands/submit.ts');
    exit = EXIT[await submitCommand(settings, env, screen)];
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exit;
  } catch (error) {
    return reportFailure(error, screen);
  }
}

function buildProgram(json: boolean): Command {
  return new Command('upsilon')
    .description('Counts the tokens in local AI tool logs, signs the four totals and submits them to the leaderboard.')
    .version(VERSION)
    .option('--dry-run', 'scan and show exactly what would be sent; sends and writes nothing, needs no login')
    .option('--source-dir <dir>', 'look for logs here instead of the usual places (repeatable)', collect)
    .option('--base-url <url>', `address of the service (UPSILON_BASE_URL; default ${DEFAULT_BASE_URL})`)
    .option('--token <token>', 'access token (better: UPSILON_TOKEN, which other users of this machine cannot see)')
    .option('--codename <name>', 'your codename on the board (UPSILON_CODENAME)')
    .option('--config-dir <dir>', 'where the device key and the ledger live (UPSILON_CONFIG_DIR)')
    .option('--json', 'print one JSON object instead of text')
    .option('--no-color', 'no colours (NO_COLOR)')
    .allowExcessArguments(false)
    .configureOutput({ writeErr: (text) => void (json || process.stderr.write(text)) })
    .exitOverride();
}

function collect(dir: string, dirs: readonly string[] | undefined): readonly string[] {
  return [...(dirs ?? []), dir];
}

/** Tells one failure, as text or as the one JSON object, and answers the exit code. */
function reportFailure(error: unknown, screen: Screen): number {
  if (error instanceof CommanderError) {
    // Help and version are asked for, not failed; commander has printed its own message already.
    if (error.exitCode === 0) return EXIT.ok;
    const message = error.message.replace(/^error: /, '');
    screen.result({ error: { code: 'usage', message, hint: 'See upsilon --help.', exit: EXIT.usage } });
    return EXIT.usage;
  }
  const known =
    error instanceof CliError ? error : new CliError('internal', 'internal', `unexpected failure: ${String(error)}`);
  const exit = EXIT[known.exit];
  screen.result({ error: { code: known.code, message: known.message, hint: known.hint, exit } });
  screen.failure(known.message, known.hint);
  return exit;
}
