import { globSync } from 'tinyglobby';

/** Every test file that `npm test` runs. */
export const ALL_TESTS = 'test/**/*.test.ts';

/** Folders of tests that start processes or play long histories; most of them take several seconds. */
const SLOW_FOLDERS =
  /^test\/(abuse|ops|workers|cli\/(commands|program)|engine\/ranking\/(index|integrity|repair|rerank))\//;

/** The estimate for a file without a stored duration, in milliseconds. */
function expectedMs(file: string): number {
  if (/^test\/(e2e|faults)\/|\.(browser|programs|conformance)\.ts$/.test(file)) return 15_000;
  return SLOW_FOLDERS.test(file) ? 5_000 : 1_500;
}

/** Arguments of `npm test`: options for mocha, and the selection of tests. */
export interface TestArguments {
  readonly patterns: readonly string[];
  /** The commit to compare the work tree with; null without `--changed`. */
  readonly changedSince: string | null;
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

/** Splits the command line: `--changed[=COMMIT]`, patterns of files, and everything else for mocha. */
export function parseArguments(args: readonly string[]): TestArguments {
  const patterns: string[] = [];
  const mocha: string[] = [];
  let changedSince: string | null = null;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--changed') changedSince = 'HEAD';
    else if (arg.startsWith('--changed=')) changedSince = arg.slice('--changed='.length);
    else if (WITH_VALUE.has(arg)) mocha.push(arg, ...args.slice(++at, at + 1));
    else if (arg.startsWith('-')) mocha.push(arg);
    else patterns.push(arg);
  }
  return { patterns, changedSince, mocha };
}

/**
 * The test files that match patterns: files, folders or globs, with braces. A folder matches the `.test.ts` files below it.
 *
 * @throws Error that lists each pattern without a match
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

/** What files take one after the other, by stored durations or those of a machine with two cores, in milliseconds. */
export function totalMs(files: readonly string[], durations: ReadonlyMap<string, number>): number {
  return files.reduce((sum, file) => sum + (durations.get(file) ?? expectedMs(file)), 0);
}

/** The longest first, so that no process runs a long file at the end. */
export function longestFirst(files: readonly string[], durations: ReadonlyMap<string, number>): string[] {
  const ms = (file: string): number => durations.get(file) ?? expectedMs(file);
  return files.toSorted((a, b) => ms(b) - ms(a) || (a < b ? -1 : 1));
}

/** The tests of a change: those within the time budget, and the others. */
export interface DependentTests {
  readonly chosen: readonly string[];
  readonly further: readonly string[];
}

/**
 * Selects the tests that depend on changed files through imports: the nearest, as long as they take at most `budgetMs` by
 * their stored durations. Always selects changed tests, and tests that mirror changed files.
 *
 * @param importers The importers of a file; paths are relative to the project's folder.
 */
export function selectDependentTests(
  changed: readonly string[],
  importers: (file: string) => Iterable<string>,
  durations: ReadonlyMap<string, number>,
  budgetMs: number,
): DependentTests {
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
