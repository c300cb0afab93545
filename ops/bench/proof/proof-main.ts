import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_DATA_DIR } from '../../../config/config.ts';
import { processEnvironment } from '../../../config/env.ts';
import { textTable } from '../frame/text-table.ts';
import { type Change, compareRows, readRows, renderPage } from './page.ts';
import { FAULT_RUNS, PARTS, type ProofRequest, parseProofArguments } from './parts.ts';
import { PartResult, runPart } from './run-part.ts';

/** `npm run proof [-- --only=PART,… --compare|--page|--smoke]`: measures and writes the page. */
const PAGE = fileURLToPath(new URL('../../docs/PROOF.md', import.meta.url));
/** Raw results: one file per part. */
const RAW = join(resolve(processEnvironment()['DATA_DIR'] ?? DEFAULT_DATA_DIR), 'proof');
/** Parts that a smoke runs concurrently: its figures are meaningless. */
const MAX_CONCURRENT_SMOKES = 4;

function log(text: string): void {
  process.stderr.write(`proof: ${text}\n`);
}

type Results = ReadonlyMap<string, PartResult>;

/** Measures the parts, one after another unless it is a smoke; `store` gets each result immediately. */
async function measure(
  { mode, parts }: ProofRequest,
  store: (name: string, results: Results) => Promise<void>,
): Promise<Results> {
  const results = new Map<string, PartResult>();
  const waiting = mode === 'smoke' ? parts.toSorted((one, other) => other.minutes - one.minutes) : [...parts];
  let storing = Promise.resolve();
  const measureNext = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const { name, minutes } = part;
      const does = mode === 'smoke' ? part.smoke : part.does;
      if (does === null) continue;
      log(`${name} (${mode === 'smoke' ? 'tiny' : `about ${minutes} min`})`);
      const result = await runPart(part, does);
      log(`${name} ${result.error === null ? `took ${result.seconds} s` : `FAILED: ${result.error}`}`);
      results.set(name, result);
      storing = storing.then(() => store(name, results));
      await storing;
    }
  };
  await Promise.all(Array.from({ length: mode === 'smoke' ? MAX_CONCURRENT_SMOKES : 1 }, measureNext));
  return results;
}

const failed = (results: Results): string[] =>
  [...results].flatMap(([name, { error }]) => (error === null ? [] : name));

function printChanges(changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const rows = changes.map(({ what, first, second, change, checked, off }) => {
    const percent = `${change > 0 ? '+' : ''}${(change * 100).toFixed(0)} %`;
    return [what, String(first), String(second), percent, off ? 'OFF' : checked ? 'within 25 %' : 'reported only'];
  });
  process.stdout.write(`\n${textTable([['figure', 'page', 'now', 'change', ''], ...rows])}\n`);
}

/** Stores raw results in a folder, and writes the page from them and its former text. */
async function storeIn(folder: string, page: string, former: string, name: string, results: Results): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(results.get(name), null, 1)}\n`);
  await writeFile(page, renderPage(former, results));
}

/** Measures and writes the page; prints the changes from its former figures. */
async function measureAndStore(request: ProofRequest, former: string): Promise<number> {
  const results = await measure(request, (name, all) => storeIn(RAW, PAGE, former, name, all));
  const changes = compareRows(readRows(former), readRows(renderPage(former, results)));
  printChanges(changes.filter(({ change }) => change !== 0));
  return failed(results).length === 0 ? 0 : 1;
}

/** Measures and compares with the page; fails when a ratio is off or a part failed. */
async function compareAgain(request: ProofRequest, former: string): Promise<number> {
  const known = readRows(former);
  if (known.length === 0) throw new Error('there is nothing to compare with: run npm run proof first');
  const results = await measure(request, () => Promise.resolve());
  const changes = compareRows(known, readRows(renderPage('', results)));
  printChanges(changes);
  return failed(results).length === 0 && changes.every(({ off }) => !off) ? 0 : 1;
}

/** Runs every part with tiny sizes and writes a page into a temporary folder. */
async function smoke(request: ProofRequest): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'upsilon-proof-'));
  try {
    const page = join(folder, 'PROOF.md');
    const results = await measure(request, (name, all) => storeIn(folder, page, '', name, all));
    const read = await readResults(folder);
    const same = renderPage('', read) === (await readFile(page, 'utf8'));
    if (!same) log('the stored results differ from the measured ones');
    const broken = failed(results);
    process.stdout.write(
      `${results.size - broken.length} of ${results.size} parts worked${broken.map((name) => `, ${name} did not`).join('')}\n`,
    );
    return same && broken.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The raw results in a folder. @throws when one is malformed. */
async function readResults(folder: string): Promise<Results> {
  const results = new Map<string, PartResult>();
  for (const { name } of [...PARTS, FAULT_RUNS]) {
    const text = await readFile(join(folder, `${name}.json`), 'utf8').catch(() => null);
    if (text !== null) results.set(name, PartResult.parse(JSON.parse(text)));
  }
  return results;
}

async function run(request: ProofRequest): Promise<number> {
  if (request.mode === 'smoke') return smoke(request);
  const former = await readFile(PAGE, 'utf8').catch(() => '');
  if (request.mode === 'compare') return compareAgain(request, former);
  if (request.mode === 'measure') return measureAndStore(request, former);
  await writeFile(PAGE, renderPage(former, await readResults(RAW)));
  return 0;
}

try {
  process.exitCode = await run(parseProofArguments(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
