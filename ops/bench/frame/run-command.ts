import { spawn } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';
import { processEnvironment } from '../../../config/env.ts';
import { Figure } from './bench.ts';

/** Time between stopping and killing a command. */
const STOP_WITHIN_MS = 20_000;

/** Lines of standard error in a failure. */
const ERROR_LINES = 12;

/** The last line of a bench's output. */
export const BenchLine = z.object({
  name: z.string(),
  value: z.number().nullable(),
  unit: z.string(),
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

export interface CommandOutput {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command by its tree's bootstrap. Copies its standard error to this process's, and stops it when this process stops.
 *
 * @throws when it exceeds its time limit
 */
export function runCommand({ root, args, settings = {}, limitMinutes }: ProjectCommand): Promise<CommandOutput> {
  return new Promise((resolve, reject) => {
    const env = { ...processEnvironment(), ...settings };
    const program = join(root, 'ops/bootstrap.mjs');
    const child = spawn(process.execPath, [program, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
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
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
      process.stderr.write(text);
    });
    child.once('error', reject);
    child.once('close', (status) => {
      clearTimeout(limit);
      process.off('SIGTERM', stop);
      if (late) reject(new Error(`was stopped after ${limitMinutes} minutes`));
      else resolve({ status, ...output });
    });
  });
}

/** The end of a failed command's standard error. */
export function failureOf({ status, stderr }: CommandOutput): string {
  return stderr.trimEnd().split('\n').slice(-ERROR_LINES).join('\n') || `ended with status ${status}`;
}
