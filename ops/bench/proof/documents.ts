import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { curvesCsv, SUBJECTS } from './curves.ts';
import { lineChart } from './line-chart.ts';
import { markdownTable } from './markdown.ts';
import { measuredText, proofPage, targetText } from './page.ts';
import { ROWS, rowState } from './rows.ts';
import { type FaultRuns, type Machine, type Results, readFaultRuns, readResults } from './stored-results.ts';

/** The stored results of a project folder. */
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

/** The documents that are generated from results, by path below the root. `readme` is the current README. */
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

/** Stores results and writes the documents. */
export async function writeProof(root: string, results: Results, rest: Omit<StoredProof, 'results'>): Promise<void> {
  await mkdir(join(root, STORE), { recursive: true });
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  await writeFile(join(root, STORE, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
  if (rest.second !== null) {
    await writeFile(join(root, STORE, 'second-run.json'), `${JSON.stringify(rest.second, null, 1)}\n`);
  }
  for (const [path, text] of proofDocuments(results, rest, readme)) await writeFile(join(root, path), text);
}

/** Empty results. */
export function noResults(machine: Machine): Results {
  return { machine, parts: {} };
}

const BEGIN = '<!-- figures: written by npm run proof -->';
const END = '<!-- end of figures -->';

/** The figures in README. */
function readmeFigures(results: Results, faults: FaultRuns | null): string {
  const states = ROWS.filter(({ readme }) => readme).map((row) => rowState(row, results));
  const rows = states.map((state) => {
    const { row, verdict } = state;
    const result = verdict === 'reported' ? '' : verdict === 'absent' ? 'not measured' : verdict;
    return [row.what, row.against, measuredText(state), targetText(row), result];
  });
  const runs =
    faults === null
      ? ''
      : `\n\n${faults.whole} of ${faults.count} seeded fault schedules under load passed every consistency check.`;
  return `${markdownTable([['what', 'against', '>measured', '>target', 'result'], ...rows])}${runs}`;
}

/** README with the figures between the two markers. @throws when they are missing. */
function withFigures(readme: string, figures: string): string {
  const [from, until] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from < 0 || until < from) throw new Error(`README.md has no markers ${BEGIN} and ${END}`);
  return `${readme.slice(0, from + BEGIN.length)}\n${figures}\n${readme.slice(until)}`;
}
