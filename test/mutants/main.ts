import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MINUTE_MS } from '../../config/units.ts';
import { changedFiles } from '../runner/changed-files.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { generateMutants } from './generate-mutants.ts';
import { type Mutant, readMutants, TABLE } from './read-mutants.ts';
import { copyTree, type Outcome, runMutated, runTests } from './work-copy.ts';

const USAGE = `npm run mutants -- [NAME|FILE|FOLDER …] [--changed[=COMMIT]] [--generate] [--minutes=N]

Makes each fault of ${TABLE} in a copy of the work tree and runs the tests that should detect it. Fails when a
fault survives, when a test fails without the fault, or when nothing ran. --changed selects the faults beside changed
files and those of changed tests; --minutes ends the run then, in random order. --generate makes faults in the changed
lines instead and runs the tests nearest to them; it lists those that survive, some of which change nothing, and
does not fail for them. With names it selects only what they name.
`;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [SURVIVED, RED] = ['SURVIVED', 'FAILS WITHOUT THE FAULT'];
/** Time for which a mutant's tests may take longer than three times as long as without it, in milliseconds. */
const HANGS_AFTER_MS = 10_000;
/** Mutants wait for engines and processes about half of their time. */
const AT_ONCE = availableParallelism();

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    // `--changed` alone compares with HEAD.
    args: args.map((arg) => (arg === '--changed' ? '--changed=HEAD' : arg)),
    allowPositionals: true,
    options: {
      changed: { type: 'string' },
      generate: { type: 'boolean', default: false },
      minutes: { type: 'string', default: 'Infinity' },
    },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error('--minutes is a number above 0.');
  const { changed = values.generate ? 'HEAD' : undefined } = values;
  const table = readMutants(ROOT);
  const isChosen = (mutant: Mutant): boolean => positionals.some((given) => matches(given, mutant));
  if (changed !== undefined) {
    const isNamed = (file: string): boolean =>
      positionals.length === 0 || positionals.some((given) => file === given || file.startsWith(`${given}/`));
    const chosen = values.generate
      ? generateMutants(ROOT, changed, isNamed)
      : changedMutants(table, changed).filter((mutant) => positionals.length === 0 || isChosen(mutant));
    if (chosen.length > 0) return runMutants(chosen, minutes, values.generate);
    process.stdout.write(`No mutant is ${values.generate ? 'in' : 'beside'} what changed since ${changed}.\n`);
    return 0;
  }
  for (const given of positionals) {
    if (!table.some((mutant) => matches(given, mutant))) throw new Error(`No mutant matches ${given}.`);
  }
  return runMutants(positionals.length === 0 ? table : table.filter(isChosen), minutes);
}

function matches(given: string, { name, file }: Mutant): boolean {
  return given === name || given === file || file.startsWith(`${given}/`);
}

/** The mutants in folders of changed files, and those whose tests changed; all of them when the table did. */
function changedMutants(table: readonly Mutant[], commit: string): Mutant[] {
  const files = new Set(changedFiles(ROOT, commit));
  const folders = new Set([...files].map((file) => dirname(file)));
  const isChanged = ({ file, tests }: Mutant): boolean =>
    folders.has(dirname(file)) || [TABLE, ...tests].some((one) => files.has(one));
  return table.filter(isChanged);
}

/** Returns the exit status. `areGenerated`: they may survive. */
async function runMutants(mutants: readonly Mutant[], minutes: number, areGenerated = false): Promise<number> {
  const run: Run = { until: performance.now() + minutes * MINUTE_MS, unmutated: new Map() };
  const queue = Number.isFinite(minutes) ? seededRandom(runSeed()).shuffled(mutants) : [...mutants];
  const counts = new Map<string, number>();
  const listed: string[] = [];
  let [isWrong, hasRun] = [false, false];
  const work = async (copy: string): Promise<void> => {
    copyTree(ROOT, copy);
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const outcome = await detect(copy, mutant, run);
      if (outcome === null) return void queue.push(mutant);
      hasRun ||= mutant.tests.length > 0;
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      isWrong ||= outcome === RED || (outcome === SURVIVED && !areGenerated);
      const again = areGenerated ? `${mutant.name}: ${mutant.what}` : `npm run mutants -- ${mutant.name}`;
      if (outcome === RED || outcome === SURVIVED) listed.push(`${outcome}: ${again}`);
      process.stdout.write(`${outcome}  ${mutant.name}: ${mutant.what}\n`);
    }
  };
  const copies = Array.from({ length: Math.min(AT_ONCE, mutants.length) }, (_, index) => `.data/mutants/${index}`);
  await Promise.all(copies.map((copy) => work(join(ROOT, copy))));
  const left = areGenerated ? String(queue.length || '') : queue.map(({ name }) => name).join(' ');
  const found = [
    ...(hasRun ? [] : ['Nothing ran']),
    ...Array.from(counts, ([outcome, count]) => `${count} ${outcome}`),
  ].join(', ');
  process.stdout.write(`${found}${left === '' ? '' : `; left out, because the time was up: ${left}`}\n`);
  for (const line of listed.toSorted()) process.stdout.write(`${line}\n`);
  return isWrong || !hasRun ? 1 : 0;
}

interface Run {
  /** When it ends, by `performance.now()`. */
  readonly until: number;
  /** What tests came to without a fault, and their time in milliseconds, by their paths. */
  readonly unmutated: Map<string, Promise<{ readonly outcome: Outcome; readonly ms: number }>>;
}

/** Runs a mutant's tests without the fault, which once is enough for all mutants, and with it. Null when the time is up. */
async function detect(copy: string, mutant: Mutant, { until, unmutated }: Run): Promise<string | null> {
  if (mutant.tests.length === 0) return SURVIVED;
  const left = (): number => until - performance.now();
  if (left() <= 0) return null;
  const measure = async () => {
    const began = performance.now();
    return { outcome: await runTests(copy, mutant.tests, left()), ms: performance.now() - began };
  };
  const key = mutant.tests.join(' ');
  if (!unmutated.has(key)) unmutated.set(key, measure());
  const { outcome: without, ms } = (await unmutated.get(key))!;
  if (left() <= 0) return null;
  if (without !== 'passed') return RED;
  const outcome = await runMutated(copy, mutant, Math.min(left(), 3 * ms + HANGS_AFTER_MS));
  if (outcome === 'timed out' && left() <= 0) return null;
  if (outcome === 'passed') return SURVIVED;
  return outcome === 'failed' ? 'detected' : 'detected by a time limit';
}
