import { markdownTable } from './markdown.ts';
import { measuredText, targetText } from './page.ts';
import { ROWS, rowState } from './rows.ts';
import type { FaultRuns, Results } from './stored-results.ts';

const BEGIN = '<!-- figures: written by npm run proof -->';
const END = '<!-- end of figures -->';

/** What README tells of the proof. */
export function readmeFigures(results: Results, faults: FaultRuns | null): string {
  const states = ROWS.filter(({ readme }) => readme).map((row) => rowState(row, results));
  const rows = states.map((state) => {
    const { row, verdict } = state;
    const is = verdict === 'told' ? '' : verdict === 'absent' ? 'not measured' : verdict;
    return [row.what, row.against, measuredText(state), targetText(row), is];
  });
  const runs =
    faults === null ? '' : `\n\n${faults.whole} of ${faults.count} seeded schedules of faults under load ended whole.`;
  return `${markdownTable([['what', 'against', '>measured', '>asked', 'is'], ...rows])}${runs}`;
}

/** README with its figures between the two marks. Throws when it has no such place. */
export function withFigures(readme: string, figures: string): string {
  const [from, until] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from < 0 || until < from) throw new Error(`README.md has no place for figures between ${BEGIN} and ${END}`);
  return `${readme.slice(0, from + BEGIN.length)}\n${figures}\n${readme.slice(until)}`;
}
