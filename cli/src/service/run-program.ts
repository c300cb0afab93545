import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError, reasonOf, reasonText } from '../cli-error.ts';
import type { Argv } from './definitions.ts';

/** How long a program that learns of a change may run, in milliseconds. */
export const PROGRAM_LIMIT_MS = 10_000;

/** A program with its arguments, and what it gets on its standard input. */
export type Program = readonly [argv: Argv, input: string];

/** Runs a program without a shell; what it prints is dropped. Returns why it failed, else null. Never throws. */
export async function runProgram([[file = '', ...args], input]: Program, timeout = PROGRAM_LIMIT_MS) {
  // Loaded on demand: it loads the network modules.
  const { spawn } = await import('node:child_process');
  const limits = { timeout, killSignal: 'SIGKILL', windowsHide: true } as const;
  const child = spawn(file, args, { ...limits, stdio: ['pipe', 'ignore', 'ignore'] });
  // It need not read its input.
  child.stdin.on('error', () => undefined).end(input);
  return once(child, 'exit').then(
    ([code, signal]: unknown[]) => (code === 0 ? null : `it ended with ${String(code ?? signal)}`),
    (error: unknown) => reasonText(reasonOf(error)),
  );
}

/** The command with the absolute path of its program. Throws a `usage` error that says why it cannot run without a shell. */
export async function requireRunnable([name = '', ...args]: Argv, os: NodeJS.Platform): Promise<Argv> {
  const file = resolve(name);
  let problem: string | null = null;
  try {
    await access(file, constants.X_OK);
    const kind = await stat(file);
    // Reading a pipe or a device may not end.
    const content = kind.isFile() || kind.isDirectory() ? await readFile(file) : null;
    const isScript = content !== null && !content.includes(0) && content.toString('latin1', 0, 2) !== '#!';
    if (content === null) problem = 'it is not a file';
    else if (os === 'win32' ? !/\.(?:exe|com)$/i.test(file) : isScript)
      problem = 'only a shell runs it. Give the program that interprets it, with this as its argument';
  } catch (error) {
    problem = reasonText(reasonOf(error));
  }
  if (problem === null) return [file, ...args];
  throw new CliError('usage', 'not_runnable', `--on-change cannot run ${file}: ${problem}`);
}
