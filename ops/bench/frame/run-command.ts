import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { processEnvironment } from '../../../config/env.ts';
import { Figure } from './bench.ts';

/** Time between stopping and killing a command. */
const STOP_WITHIN_MS = 20_000;

/** Lines of standard error in a failure. */
const ERROR_LINES = 12;

/** The last line of a bench's output. */
const BenchLine = Figure.pick({ name: true, value: true, unit: true }).extend({
  figures: z.array(Figure),
  details: z.unknown().optional(),
});

/** A command of the project, such as `bench reads`, in a tree. */
export interface ProjectCommand {
  /** The folder of `package.json`. */
  readonly root: string;
  readonly args: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly limitMinutes: number;
}

type CommandOutput = Awaited<ReturnType<typeof runCommand>>;

/**
 * Runs a command by its tree's bootstrap. Copies its standard error to this process's, and stops it when this process stops.
 *
 * @throws when it exceeds its time limit
 */
export async function runCommand({ root, args, settings = {}, limitMinutes }: ProjectCommand) {
  const env = { ...processEnvironment(), ...settings };
  const program = join(root, 'ops/bootstrap.mjs');
  const child = spawn(process.execPath, [program, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  let late = false;
  const stop = (): void => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS).unref();
  };
  const limit = setTimeout(() => {
    late = true;
    stop();
  }, limitMinutes * 60_000);
  process.on('SIGTERM', stop);
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
    process.stderr.write(part);
  });
  try {
    const closed: Promise<(number | null)[]> = once(child, 'close');
    const [stdout, [status = null]] = await Promise.all([text(child.stdout), closed]);
    if (late) throw new Error(`was stopped after ${limitMinutes} minutes`);
    return { status, stdout, stderr };
  } finally {
    clearTimeout(limit);
    process.off('SIGTERM', stop);
  }
}

/** The last line of the output of a bench that ended well, and the lines before it. @throws when it is malformed. */
export function readBenchOutput({ stdout }: CommandOutput) {
  const lines = stdout.trimEnd().split('\n');
  return { ...BenchLine.parse(JSON.parse(lines.at(-1) ?? '')), text: lines.slice(0, -1) };
}

/** The end of a failed command's standard error. */
export function failureOf({ status, stderr }: CommandOutput): string {
  return stderr.trimEnd().split('\n').slice(-ERROR_LINES).join('\n') || `ended with status ${status}`;
}
