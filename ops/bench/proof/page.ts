import { type Change, compareResults, MAX_CHANGE } from './compare.ts';
import { SUBJECTS } from './curves.ts';
import { markdownTable, readable } from './markdown.ts';
import { commandOf, PARTS, type ProofPart } from './parts.ts';
import { type ProofRow, ROWS, type RowState, rowState } from './rows.ts';
import type { FaultRuns, PartResult, Results } from './stored-results.ts';

/** The data of the page. */
export interface ProofData {
  readonly results: Results;
  /** A later run of `--compare`, of all parts or some. */
  readonly second: Results | null;
  readonly faults: FaultRuns | null;
}

const VERDICTS: Readonly<Record<RowState['verdict'], string>> = {
  met: 'met',
  missed: '**missed**',
  reported: 'reported',
  failed: '**failed**',
  absent: '**not measured**',
};

const MINUTES = Math.round(PARTS.reduce((sum, { minutes }) => sum + minutes, 0));

/** The text of PROOF.md. */
export function proofPage(data: ProofData): string {
  const { results, second, faults } = data;
  const { cpu, cores, memoryGiB, node } = results.machine;
  const states = ROWS.map((row) => rowState(row, results));
  return `${[
    '# Proof',
    `Every figure on this page was measured by \`npm run proof\` on one machine (${cpu}, ${cores} cores, ${memoryGiB} GiB, Node.js ${node}), ` +
      'which ran both databases, the service and its clients. That command generates the page from ' +
      '[results.json](proof/results.json); a test compares the two.',
    howTo(),
    '## Targets',
    countLine(states),
    markdownTable([
      ['what', 'against (same run)', '>measured', '>value', '>target', '>aim', 'result'],
      ...states.map(rowOf),
    ]),
    'Where "against" is a peer, "measured" is the ratio to it; otherwise it is the value.',
    ...(faults === null ? [] : faultSection(faults)),
    ...(second === null ? [] : secondSection(results, second)),
    '## Growth',
    'From [growth.csv](proof/growth.csv), generated from the same results.',
    ...SUBJECTS.map(({ file, title }) => `![${title}](proof/${file}.svg)`),
    '## The parts',
    ...PARTS.map((part) => partSection(part, results.parts[part.name])),
  ].join('\n\n')}\n`;
}

function howTo(): string {
  return [
    '```',
    `npm run proof                  # everything, about ${MINUTES} minutes on two cores; use an idle machine`,
    'npm run proof -- --only=reads  # some parts (comma-separated); the others keep their figures',
    'npm run proof -- --compare     # measures again and compares; fails when a ratio is off by more than a quarter',
    'npm run proof -- --page        # generates the page from the stored results',
    'npm run proof -- --smoke       # each part in seconds, into a temporary folder; CI runs this',
    '```',
  ].join('\n');
}

function countLine(states: readonly RowState[]): string {
  const count = (verdict: RowState['verdict']): number => states.filter((state) => state.verdict === verdict).length;
  const targets = states.filter(({ row }) => row.target !== null).length;
  const others = [
    [count('missed'), 'missed'],
    [count('failed'), 'from failed parts'],
    [count('absent'), 'not measured'],
  ] as const;
  const rest = others.filter(([number]) => number > 0).map(([number, name]) => `${number} ${name}`);
  return `Of ${targets} targets, ${count('met')} are met${rest.length === 0 ? '' : `; ${rest.join(', ')}`}.`;
}

export function measuredText({ row, figure }: RowState): string {
  if (figure === null) return '–';
  return row.kind === 'peer' ? readable(figure.ratio) : `${readable(figure.value)} ${figure.unit}`;
}

export function targetText({ target }: ProofRow): string {
  if (target === null) return '–';
  return 'atLeast' in target ? `≥ ${readable(target.atLeast)}` : `≤ ${readable(target.atMost)}`;
}

function rowOf(state: RowState): string[] {
  const { row, figure, verdict } = state;
  const value = figure === null || row.kind === 'limit' ? '' : `${readable(figure.value)} ${figure.unit}`;
  const aim = row.aim === null ? '' : readable(row.aim);
  return [row.what, row.against, measuredText(state), value, targetText(row), aim, VERDICTS[verdict]];
}

const seconds = (ms: number | null): string => (ms === null ? 'unknown' : `${readable(ms / 1_000)} s`);

function faultSection({ count, whole, acknowledged, verdicts, wholeAfterMs, faults, portions }: FaultRuns): string[] {
  const dates = portions.map(({ date }) => date.slice(0, 10)).toSorted();
  const commits = [...new Set(portions.map(({ commit }) => commit))];
  return [
    '## Fault schedules',
    `${whole} of ${count} seeded fault schedules under load passed every consistency check (${dates[0]} to ${dates.at(-1)}, at ${commits.join(', ')}): ` +
      `all ${readable(acknowledged)} acknowledged snapshots were in the log, ${readable(verdicts)} verdicts agreed with a second verification, ` +
      `and every board agreed with the naive model. Time from the last verdict to a consistent board: median ${seconds(wholeAfterMs.p50)}, ` +
      `p95 ${seconds(wholeAfterMs.p95)}, maximum ${seconds(wholeAfterMs.worst)}. Source: [faults.json](proof/faults.json).`,
    markdownTable([['fault', '>times'], ...Object.entries(faults).map(([name, times]) => [name, String(times)])]),
  ];
}

function secondSection(first: Results, second: Results): string[] {
  const changes = compareResults(first, second);
  const off = changes.filter((change) => change.off).length;
  const checked = changes.filter((change) => change.checked).length;
  const dates = Object.values(second.parts).map(({ date }) => date);
  const failed = Object.entries(second.parts).flatMap(([name, { status }]) => (status === 'failed' ? [name] : []));
  return [
    '## A second run',
    `\`npm run proof -- --compare\` measured ${checked} of the ratios again (${dates.toSorted()[0]?.slice(0, 16).replace('T', ' ')} UTC): ` +
      `${checked - off} are within ${MAX_CHANGE * 100} % of this page's${off === 0 ? '' : `, ${off} are not`}. Values with a fixed limit are reported, not checked.` +
      (failed.length === 0 ? '' : ` Parts that failed: ${failed.join(', ')}.`),
    markdownTable([['what', '>this page', '>second run', '>change', ''], ...changes.map(changeRow)]),
  ];
}

function changeRow({ what, first, second, change, checked, off }: Change): string[] {
  const sign = change > 0 ? '+' : '';
  const word = off ? '**off**' : checked ? '' : 'reported';
  return [what, readable(first), readable(second), `${sign}${(change * 100).toFixed(0)} %`, word];
}

function partSection({ name, title, does }: ProofPart, result: PartResult | undefined): string {
  const head = `### ${title}`;
  if (result === undefined)
    return `${head}\n\n\`${commandOf(does)}\`: not run yet (\`npm run proof -- --only=${name}\`).`;
  const { command, date, commit } = result;
  const when = `\`${command}\`, ${date.slice(0, 16).replace('T', ' ')} UTC, ${readable(result.seconds)} s, at ${commit}`;
  if (result.status === 'failed') return `${head}\n\n${when}: **failed**.\n\n\`\`\`\n${result.error}\n\`\`\``;
  const text = result.text === '' ? '' : `\n\n\`\`\`\n${result.text}\n\`\`\``;
  return `${head}\n\n${when}.${text}`;
}
