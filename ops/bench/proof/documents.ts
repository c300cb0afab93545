import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { curvesCsv, SUBJECTS } from './curves.ts';
import { lineChart } from './line-chart.ts';
import { proofPage } from './page.ts';
import { readmeFigures, withFigures } from './readme-block.ts';
import { type FaultRuns, type Machine, type Results, readFaultRuns, readResults } from './stored-results.ts';

/** The stored results below a folder that is laid out as the project is. */
export interface StoredProof {
  readonly results: Results | null;
  readonly second: Results | null;
  readonly faults: FaultRuns | null;
}

const STORE = 'ops/docs/proof';

export async function readProof(root: string): Promise<StoredProof> {
  const at = (name: string): string => join(root, STORE, name);
  const [results, second, faults] = await Promise.all([
    readResults(at('results.json')),
    readResults(at('second-run.json')),
    readFaultRuns(at('faults.json')),
  ]);
  return { results, second, faults };
}

/** Everything that is written from results, by path below the root. `readme` is README as it is. */
export function proofDocuments(
  results: Results,
  { second, faults }: Omit<StoredProof, 'results'>,
  readme: string,
): ReadonlyMap<string, string> {
  return new Map([
    ['ops/docs/PROOF.md', proofPage({ results, second, faults })],
    [`${STORE}/growth.csv`, curvesCsv(results)],
    ...SUBJECTS.map(({ file, title, unit, curves }): [string, string] => [
      `${STORE}/${file}.svg`,
      lineChart(title, unit, curves(results)),
    ]),
    ['README.md', withFigures(readme, readmeFigures(results, faults))],
  ]);
}

/** Stores results, and writes the documents from them. */
export async function writeProof(root: string, results: Results, rest: Omit<StoredProof, 'results'>): Promise<void> {
  await mkdir(join(root, STORE), { recursive: true });
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  await writeFile(join(root, STORE, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
  if (rest.second !== null) {
    await writeFile(join(root, STORE, 'second-run.json'), `${JSON.stringify(rest.second, null, 1)}\n`);
  }
  for (const [path, text] of proofDocuments(results, rest, readme)) await writeFile(join(root, path), text);
}

/** Results without any yet. */
export function noResults(machine: Machine): Results {
  return { machine, parts: {} };
}
