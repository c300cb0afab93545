import { globSync } from 'tinyglobby';

/** Every test file that `npm test` runs. */
export const ALL_TESTS = 'test/**/*.test.ts';

/** How long a file without a stored duration counts, in milliseconds: tests of whole processes take longest. */
function expectedMs(file: string): number {
  if (/^test\/(e2e|faults)\//.test(file)) return 20_000;
  return /^test\/(abuse|ops|workers)\//.test(file) ? 6_000 : 2_000;
}

/** Arguments of `npm test`: what mocha is given, and which tests are asked for. */
export interface TestArguments {
  readonly patterns: readonly string[];
  /** The commit to compare the work tree with; null when all tests or named ones are asked for. */
  readonly changedSince: string | null;
  /** Tests that have a long form, in that form. */
  readonly long: boolean;
  readonly mocha: readonly string[];
}

/** Options of mocha that take the next argument as their value. */
const WITH_VALUE = new Set([
  '-g',
  '--grep',
  '-f',
  '--fgrep',
  '-R',
  '--reporter',
  '-O',
  '--reporter-option',
  '-t',
  '--timeout',
  '-j',
  '--jobs',
]);

/** Splits the command line: `--changed[=COMMIT]`, `--long`, patterns of files, and everything else for mocha. */
export function parseArguments(args: readonly string[]): TestArguments {
  const patterns: string[] = [];
  const mocha: string[] = [];
  let changedSince: string | null = null;
  let long = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--changed') changedSince = 'HEAD';
    else if (arg === '--long') long = true;
    else if (arg.startsWith('--changed=')) changedSince = arg.slice('--changed='.length);
    else if (WITH_VALUE.has(arg)) mocha.push(arg, ...args.slice(++at, at + 1));
    else if (arg.startsWith('-')) mocha.push(arg);
    else patterns.push(arg);
  }
  return { patterns, changedSince, long, mocha };
}

/**
 * The test files that patterns name: files, folders or globs, with braces. A folder stands for the `.test.ts` files below.
 *
 * @throws Error that names each pattern that matches no file
 */
export function findTests(root: string, patterns: readonly string[]): string[] {
  const found = patterns.map((pattern) => {
    const glob = /\.[a-z]+$/.test(pattern) ? pattern : `${pattern.replace(/\/+$/, '')}/**/*.test.ts`;
    return globSync(glob, { cwd: root, expandDirectories: false, ignore: '**/node_modules/**' });
  });
  const empty = patterns.filter((_, index) => found[index]!.length === 0);
  if (empty.length > 0) throw new Error(`No test file matches ${empty.join(', ')}`);
  return [...new Set(found.flat())].toSorted();
}

/** The longest first, so that no process is left with a long file at the end. */
export function longestFirst(files: readonly string[], durations: ReadonlyMap<string, number>): string[] {
  const ms = (file: string): number => durations.get(file) ?? expectedMs(file);
  return files.toSorted((a, b) => ms(b) - ms(a) || (a < b ? -1 : 1));
}

/** Tests that a change can break, and those for which the time was too short. */
export interface Reached {
  readonly chosen: readonly string[];
  readonly further: readonly string[];
}

/**
 * Of the tests that reach a changed file by imports, the nearest, as long as they take at most `budgetMs` by their stored
 * durations. A changed test is always chosen; so is the test that mirrors a changed file.
 *
 * @param importers Who imports a file, by paths from the project's folder.
 */
export function testsReaching(
  changed: readonly string[],
  importers: (file: string) => Iterable<string>,
  durations: ReadonlyMap<string, number>,
  budgetMs: number,
): Reached {
  const distances = new Map(changed.map((file) => [file, 0]));
  const queue = [...changed];
  for (const file of queue) {
    for (const importer of importers(file)) {
      if (distances.has(importer)) continue;
      distances.set(importer, distances.get(file)! + 1);
      queue.push(importer);
    }
  }
  const mirrors = new Set(changed.map((file) => `test/${file.replace(/\.[a-z]+$/, '')}.test.ts`));
  const near = (file: string): number => (mirrors.has(file) ? 0 : distances.get(file)!);
  const ms = (file: string): number => durations.get(file) ?? expectedMs(file);
  const tests = queue
    .filter((file) => file.endsWith('.test.ts'))
    .toSorted((a, b) => near(a) - near(b) || ms(a) - ms(b) || (a < b ? -1 : 1));
  let spent = 0;
  const chosen = tests.filter((file) => {
    if (near(file) > 0 && spent + ms(file) > budgetMs) return false;
    spent += ms(file);
    return true;
  });
  return { chosen, further: tests.filter((file) => !chosen.includes(file)) };
}
