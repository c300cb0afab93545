import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MINUTE_MS } from '../../config/units.ts';
import { changedFiles } from '../runner/changed-files.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { areaOf, type Mutant, readMutants } from './table.ts';
import { copyTree, detects, runTests } from './work-copy.ts';

/**
 * `npm run mutants [-- AREA|FOLDER|NAME … | --changed[=COMMIT]] [--minutes=N]`: applies each mutant of the table to a copy
 * of the work tree, runs the tests that should detect it, and prints the surviving ones. `--changed` selects the mutants of
 * changed areas, those whose row or tests changed included. With `--minutes`, begins none later than that, in random order,
 * and prints which ones it left out. Without it, the tests must first pass on the unchanged copy: one that fails there would
 * detect every mutant.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Mutants wait for engines and processes about half of their time. */
const AT_ONCE = availableParallelism();

// `--changed` alone compares with HEAD.
const args = process.argv.slice(2).map((arg) => (arg === '--changed' ? '--changed=HEAD' : arg));
const { values, positionals } = parseArgs({
  args,
  allowPositionals: true,
  options: { changed: { type: 'string' }, minutes: { type: 'string', default: 'Infinity' } },
});
const chosen = choose(readMutants(), positionals, values.changed);
if (chosen.length === 0) {
  const areas = [...new Set(readMutants().map(areaOf))].join(', ');
  const nothing =
    values.changed === undefined ? `No mutant matches ${positionals.join(', ')}.` : 'No mutant is in a changed area.';
  process.stdout.write(`${nothing} Areas: ${areas}.\n`);
  process.exitCode = values.changed === undefined ? 2 : 0;
} else process.exitCode = (await runMutants(chosen, Number(values.minutes))) ? 0 : 1;

function choose(table: readonly Mutant[], selection: readonly string[], changed: string | undefined): Mutant[] {
  const possible = table.filter(({ equivalent }) => equivalent === undefined);
  if (changed !== undefined) {
    const files = new Set(changedFiles(ROOT, changed));
    const areas = new Set([...files].map((file) => areaOf({ file })));
    return possible.filter(
      (mutant) => areas.has(areaOf(mutant)) || [mutant.table, ...mutant.tests].some((file) => files.has(file)),
    );
  }
  if (selection.length === 0) return possible;
  const matches = ({ name, file }: Mutant): boolean =>
    selection.some((given) => given === name || given === file || file.startsWith(`${given}/`));
  return possible.filter(matches);
}

/** Returns whether every mutant that ran was detected. */
async function runMutants(mutants: readonly Mutant[], minutes: number): Promise<boolean> {
  const until = performance.now() + minutes * MINUTE_MS;
  const copies = Array.from({ length: Math.min(AT_ONCE, mutants.length) }, (_, index) =>
    join(ROOT, `.data/mutants/${index}`),
  );
  for (const copy of copies) copyTree(ROOT, copy);
  const queue = Number.isFinite(minutes) ? seededRandom(runSeed()).shuffled(mutants) : [...mutants];
  if (!Number.isFinite(minutes)) {
    const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
    if (!(await runTests(copies[0]!, tests, 'inherit'))) throw new Error('The tests fail on the unchanged copy');
  }
  const results: { readonly mutant: Mutant; readonly detected: boolean }[] = [];
  const work = async (copy: string): Promise<void> => {
    while (queue.length > 0 && performance.now() < until) {
      const mutant = queue.shift()!;
      const detected = await detects(copy, mutant);
      results.push({ mutant, detected });
      const outcome = detected ? 'detected' : 'SURVIVED';
      process.stdout.write(`${results.length}/${mutants.length} ${outcome}  ${mutant.name}: ${mutant.what}\n`);
    }
  };
  await Promise.all(copies.map(work));
  for (const area of new Set(mutants.map(areaOf))) {
    const ran = results.filter(({ mutant }) => areaOf(mutant) === area);
    const left = queue.filter((mutant) => areaOf(mutant) === area).map(({ name }) => name);
    const leftOut = left.length === 0 ? '' : `; left out, because the time was up: ${left.join(' ')}`;
    process.stdout.write(`${area}: ${ran.filter(({ detected }) => detected).length} of ${ran.length}${leftOut}\n`);
  }
  const survivors = results.filter(({ detected }) => !detected);
  const leftOut = queue.length === 0 ? '' : `; ${queue.length} left out`;
  process.stdout.write(`${results.length - survivors.length} of ${results.length} detected${leftOut}\n`);
  for (const { mutant } of survivors) process.stdout.write(`SURVIVED: npm run mutants -- ${mutant.name}\n`);
  return survivors.length === 0;
}
