import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compileChildPrograms } from '../support/child-programs.ts';
import { shareTestEngines, stopTestEngines } from '../support/engines.ts';
import { runSeed, SEED } from '../support/seeded-random.ts';
import { changedFiles, importersOf } from './changed-files.ts';
import { readDurations } from './durations.ts';
import {
  ALL_TESTS,
  findTests,
  longestFirst,
  parseArguments,
  selectDependentTests,
  type TestArguments,
  totalMs,
} from './select-tests.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REPORTER = fileURLToPath(new URL('reporter.ts', import.meta.url));
/** Time budget for the tests of a change, in milliseconds, by their stored durations. */
const CHANGED_BUDGET_MS = 30_000;
/** At most this many, else two more than the cores, because many tests wait for processes. */
const MAX_JOBS = 4;

try {
  const given = parseArguments(process.argv.slice(2));
  const files = select(given);
  if (files.length === 0) process.stderr.write('No test depends on the changes.\n');
  else await runTests(files, given.mocha);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
  await stopTestEngines();
}

function select({ patterns, changedSince }: TestArguments): string[] {
  if (patterns.length > 0) return findTests(ROOT, patterns);
  if (changedSince === null) return findTests(ROOT, [ALL_TESTS]);
  const changed = changedFiles(ROOT, changedSince);
  const { chosen, further } = selectDependentTests(changed, importersOf(ROOT), readDurations(), CHANGED_BUDGET_MS);
  const rest =
    further.length === 0 ? '' : `; ${further.length} further ones depend on them and run only with all tests`;
  process.stderr.write(`Running the nearest ${chosen.length} test files of ${changed.length} changed files${rest}.\n`);
  return [...chosen];
}

/** Runs one file in this process, for a debugger; several files in parallel processes, the longest first. */
async function runTests(files: readonly string[], options: readonly string[]): Promise<void> {
  const seed = String(runSeed());
  process.env[SEED] = seed;
  const jobs = Math.min(availableParallelism() + 2, files.length, MAX_JOBS);
  const seconds = Math.ceil(totalMs(files, readDurations()) / jobs / 1_000);
  const time = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  process.stderr.write(`TEST_SEED=${seed}\n${files.length} test files, about ${time}\n`);
  if (jobs > 1) await Promise.all([shareTestEngines(jobs), compileChildPrograms()]);
  const parallel = jobs > 1 ? ['--parallel', `--jobs=${jobs}`] : [];
  // Mocha's program reads the arguments of the process.
  process.argv.splice(2, Number.POSITIVE_INFINITY, `--reporter=${REPORTER}`, ...parallel, ...options);
  process.argv.push(...longestFirst(files, readDurations()));
  await import('mocha/bin/mocha.js');
}
