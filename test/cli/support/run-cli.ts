import { spawn } from 'node:child_process';
import { builtCli } from './built-cli.ts';

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
    env: { PATH: process.env['PATH'] ?? '', HOME: home, USERPROFILE: home, UPSILON_KEYCHAIN: 'off', ...env },
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
