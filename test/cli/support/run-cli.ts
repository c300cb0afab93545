import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { useFixture } from '../../support/use-fixture.ts';
import { builtCli } from './built-cli.ts';

const WARM = fileURLToPath(new URL('warm-cli.mjs', import.meta.url));

/** How a run of the tool ended. */
export interface CliRun {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built tool as its own process, with a separate home, none of the caller's settings and no keychain. */
export async function runCli(
  home: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program?: string,
): Promise<CliRun> {
  const child = spawn(process.execPath, [program ?? (await builtCli()), ...args], {
    cwd: home,
    env: { ...environmentOf(home), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => stdout.push(part));
  child.stderr.on('data', (part: Buffer) => stderr.push(part));
  const exit = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { exit, stdout: Buffer.concat(stdout).toString('utf8'), stderr: Buffer.concat(stderr).toString('utf8') };
}

/** As `runCli`, but in a process that the tests of a suite share, one run after the other: for what the tool counts and shows. */
export function useWarmCli(): (...given: Parameters<typeof runCli>) => Promise<CliRun> {
  const host = useFixture(async () => {
    const child = fork(WARM, [await builtCli()], { execArgv: [] });
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('the tool ended its process')));
    return {
      child,
      ended,
      async close() {
        child.kill('SIGKILL');
        await ended.catch(() => undefined);
      },
    };
  });
  return async (home, args, env = {}) => {
    const { child, ended } = host();
    child.send({ home, args, env: { ...environmentOf(home), ...env } });
    const [run]: CliRun[] = await Promise.race([once(child, 'message'), ended]);
    return run!;
  };
}

function environmentOf(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, USERPROFILE: home, UPSILON_KEYCHAIN: 'off' };
}
