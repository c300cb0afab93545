import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mutant } from './table.ts';

/** Limit of a mutant's tests, in milliseconds. A mutant that makes them hang is detected. */
const TIMEOUT_MS = 300_000;

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

/** Whether the mutant's tests fail on the copy with its change, which is undone afterwards. */
export async function detects(copy: string, { name, file, find, replace, tests }: Mutant): Promise<boolean> {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(find).length !== 2) throw new Error(`${name}: "find" does not occur exactly once in ${file}`);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  const detected = !(await runTests(copy, [...tests, '--bail'], 'ignore', TIMEOUT_MS));
  writeFileSync(path, text);
  return detected;
}

/** Runs tests of the copy. Returns whether they passed. */
export async function runTests(
  copy: string,
  args: readonly string[],
  stdio: 'ignore' | 'inherit',
  timeout?: number,
): Promise<boolean> {
  const child = spawn(process.execPath, ['ops/bootstrap.mjs', 'test', ...args], { cwd: copy, stdio, timeout });
  return (await new Promise<number | null>((ended) => child.once('exit', ended))) === 0;
}
