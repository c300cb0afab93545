import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mutant } from './read-mutants.ts';

/** Limit of tests, in milliseconds. */
const TIMEOUT_MS = 300_000;

/** What tests came to. A mutant that makes its tests hang is detected, if they end without it. */
export type Outcome = 'passed' | 'failed' | 'timed out';

/** Copies tracked and untracked files, except ignored ones; links `node_modules`. */
export function copyTree(root: string, copy: string): void {
  rmSync(copy, { recursive: true, force: true });
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of list.toString('utf8').split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Runs the mutant's tests on the copy with its fault, which is undone afterwards. */
export async function runMutated(copy: string, mutant: Mutant, limitMs: number): Promise<Outcome> {
  const path = join(copy, mutant.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, mutant.mutated(text));
  const outcome = await runTests(copy, mutant.tests, limitMs);
  writeFileSync(path, text);
  return outcome;
}

/** Runs tests of the copy, until one fails: one after the other, because several at once start engines for each. */
export async function runTests(copy: string, tests: readonly string[], limitMs: number): Promise<Outcome> {
  const until = performance.now() + Math.min(limitMs, TIMEOUT_MS);
  for (const test of tests) {
    const outcome = await runTest(copy, test, until - performance.now());
    if (outcome !== 'passed') return outcome;
  }
  return 'passed';
}

async function runTest(copy: string, test: string, limitMs: number): Promise<Outcome> {
  if (limitMs <= 0) return 'timed out';
  const args = ['ops/bootstrap.mjs', 'test', test, '--bail'];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', timeout: Math.ceil(limitMs) });
  const status = await new Promise<number | null>((ended) => child.once('exit', ended));
  if (child.killed) return 'timed out';
  return status === 0 ? 'passed' : 'failed';
}
