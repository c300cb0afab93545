import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { BENCHES } from '../benches.ts';
import type { Bench } from '../frame/bench.ts';
import { type BenchRun, runBench } from '../frame/run-bench.ts';
import { renderPage } from './page.ts';
import { RECORDED_PARTS, readRecorded } from './recorded-parts.ts';

/** `npm run proof [-- NAME …]` measures and writes the page; with `--smoke` each bench runs for seconds and nothing is written. */
const PAGE = fileURLToPath(new URL('../../docs/PROOF.md', import.meta.url));
/** Benches that a smoke runs concurrently: its figures are meaningless. */
const CONCURRENT_SMOKES = 3;
const PARTS = [...BENCHES.map((bench) => ({ ...bench, command: `npm run bench -- ${bench.name}` })), ...RECORDED_PARTS];

/** Runs benches, some at a time. Returns the names of those that failed. */
async function runAll(
  benches: readonly Bench[],
  concurrent: number,
  run: (bench: Bench) => Promise<unknown>,
): Promise<readonly string[]> {
  const failed: string[] = [];
  const waiting = [...benches];
  const runNext = async (): Promise<void> => {
    for (let bench = waiting.shift(); bench !== undefined; bench = waiting.shift()) {
      const { name } = bench;
      await run(bench).catch((error: unknown) => {
        failed.push(name);
        process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
      });
    }
  };
  await Promise.all(Array.from({ length: concurrent }, runNext));
  return failed;
}

/** Renews a section of the page. */
async function store(name: string, run: BenchRun): Promise<void> {
  const former = await readFile(PAGE, 'utf8').catch(() => '');
  await writeFile(PAGE, renderPage(former, PARTS, new Map([[name, run]])));
}

/** Measures parts one after another, and renews the section of each at once. */
async function measure(names: readonly string[]): Promise<readonly string[]> {
  for (const part of RECORDED_PARTS) {
    const recorded = names.includes(part.name) ? readRecorded(part) : null;
    if (recorded !== null) await store(part.name, recorded);
  }
  const benches = BENCHES.filter(({ name }) => names.includes(name));
  return runAll(benches, 1, async (bench) => store(bench.name, await runBench(bench, { size: 'full' })));
}

const args = process.argv.slice(2);
const known = PARTS.map(({ name }) => name);
const unknown = args.filter((arg) => arg !== '--smoke' && !known.includes(arg));
if (unknown.length > 0) {
  process.stderr.write(`Usage: npm run proof [-- --smoke | ${known.join(' | ')} …]\n`);
  process.exitCode = 2;
} else if (args.includes('--smoke')) {
  const failed = await runAll(BENCHES, CONCURRENT_SMOKES, (bench) => runBench(bench, { size: 'tiny', isQuiet: true }));
  process.stdout.write(`${BENCHES.length - failed.length} of ${BENCHES.length} benches work\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} else {
  const failed = await measure(args.length === 0 ? known : args);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
