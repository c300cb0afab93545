import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textTable } from '../frame/text-table.ts';
import { type ProofRequest, parseProofArguments } from './arguments.ts';
import { type Change, compareResults } from './compare.ts';
import { noResults, readProof, type StoredProof, writeProof } from './documents.ts';
import { readable } from './markdown.ts';
import { PARTS } from './parts.ts';
import { runPart } from './run-part.ts';
import type { Machine, Results } from './stored-results.ts';

/** `npm run proof [-- --only=PART,… --compare|--page|--smoke]`: measures and writes the documents. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const GIB = 2 ** 30;
/** Parts that a smoke runs concurrently: its figures are meaningless. */
const MAX_CONCURRENT_SMOKES = 3;

function machineHere(): Machine {
  const memoryGiB = Math.round(totalmem() / GIB);
  return { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, memoryGiB, node: process.version };
}

function log(text: string): void {
  process.stderr.write(`proof: ${text}\n`);
}

/** Measures the parts, one after another unless it is a smoke; `stored` gets each result immediately. Returns the names of failed parts. */
async function measure(
  { mode, only }: ProofRequest,
  known: Results,
  stored: (results: Results) => Promise<void>,
): Promise<{ readonly results: Results; readonly failed: readonly string[] }> {
  let results: Results = { machine: machineHere(), parts: { ...known.parts } };
  const failed: string[] = [];
  const waiting = PARTS.filter(({ name }) => only.includes(name));
  if (mode === 'smoke') waiting.sort((one, other) => other.minutes - one.minutes);
  let storing = Promise.resolve();
  const measureNext = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const does = mode === 'smoke' ? part.smoke : part.does;
      if (does === null) continue;
      log(`${part.name} (${mode === 'smoke' ? 'tiny' : `about ${part.minutes} min`})`);
      const result = await runPart(part, does);
      if (result.status === 'failed') failed.push(part.name);
      log(`${part.name} ${result.status === 'failed' ? `FAILED: ${result.error}` : `took ${result.seconds} s`}`);
      results = { ...results, parts: { ...results.parts, [part.name]: result } };
      storing = storing.then(() => stored(results));
      await storing;
    }
  };
  await Promise.all(Array.from({ length: mode === 'smoke' ? MAX_CONCURRENT_SMOKES : 1 }, measureNext));
  return { results, failed };
}

function printChanges(changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const rows = changes.map(({ what, first, second, change, checked, off }) => {
    const percent = `${change > 0 ? '+' : ''}${(change * 100).toFixed(0)} %`;
    return [what, readable(first), readable(second), percent, off ? 'OFF' : checked ? 'within 25 %' : 'reported only'];
  });
  process.stdout.write(`\n${textTable([['figure', 'stored', 'now', 'change', ''], ...rows])}\n`);
}

/** Measures and writes the page; prints the changes from the stored results. */
async function measureAndStore(request: ProofRequest, stored: StoredProof): Promise<number> {
  const former = stored.results ?? noResults(machineHere());
  // A second run of a part that is measured again has nothing to be compared with.
  const kept = Object.entries(stored.second?.parts ?? {}).filter(([name]) => !request.only.includes(name));
  const second = stored.second && kept.length > 0 ? { ...stored.second, parts: Object.fromEntries(kept) } : null;
  const store = (results: Results) => writeProof(ROOT, results, { second, faults: stored.faults });
  const { results, failed } = await measure(request, former, store);
  if (second === null) await rm(join(ROOT, 'ops/docs/proof/second-run.json'), { force: true });
  printChanges(compareResults(former, results).filter(({ change }) => change !== 0));
  return failed.length === 0 ? 0 : 1;
}

/** Measures and compares with the page; fails when a ratio is off or a part failed. */
async function compareAgain(request: ProofRequest, stored: StoredProof): Promise<number> {
  const { results: first, faults } = stored;
  if (first === null) throw new Error('there is nothing to compare with: run npm run proof first');
  const store = (second: Results) => writeProof(ROOT, first, { second, faults });
  const { results, failed } = await measure(request, stored.second ?? noResults(machineHere()), store);
  const now = { ...results, parts: Object.fromEntries(request.only.map((name) => [name, results.parts[name]!])) };
  const changes = compareResults(first, now);
  printChanges(changes);
  return failed.length === 0 && changes.every(({ off }) => !off) ? 0 : 1;
}

/** Runs every part with tiny sizes and writes the documents into a temporary folder. */
async function smoke(request: ProofRequest): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'upsilon-proof-'));
  try {
    cpSync(join(ROOT, 'README.md'), join(folder, 'README.md'));
    const store = (results: Results) => writeProof(folder, results, { second: results, faults: null });
    const { results, failed } = await measure(request, noResults(machineHere()), store);
    const written = await readProof(folder);
    const same =
      written.results !== null && compareResults(results, written.results).every(({ change }) => change === 0);
    if (!same) log('the stored results differ from the measured ones');
    const parts = Object.keys(results.parts).length;
    process.stdout.write(
      `${parts - failed.length} of ${parts} parts worked${failed.map((name) => `, ${name} did not`).join('')}\n`,
    );
    return same && failed.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(request: ProofRequest): Promise<number> {
  if (request.mode === 'smoke') return smoke(request);
  const stored = await readProof(ROOT);
  if (request.mode === 'compare') return compareAgain(request, stored);
  if (request.mode === 'measure') return measureAndStore(request, stored);
  await writeProof(ROOT, stored.results ?? noResults(machineHere()), stored);
  return 0;
}

try {
  process.exitCode = await run(parseProofArguments(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
