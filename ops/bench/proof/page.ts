import type { Figure } from '../frame/bench.ts';
import { commandOf, FAULT_RUNS, PARTS } from './parts.ts';
import type { PartResult } from './run-part.ts';

/** Allowed relative difference of a second run's ratio. */
const MAX_CHANGE = 0.25;

const SECTIONS = [...PARTS, FAULT_RUNS];
const MINUTES = Math.round(PARTS.reduce((sum, { minutes }) => sum + minutes, 0));
const HEAD = ['part', 'figure', 'value', 'against (same run)', 'ratio', 'target', 'aim', 'result'];
const COLUMNS = ['part', 'name', 'value', 'against', 'ratio', 'target', 'aim', 'result'] as const;
const PARTS_HEAD = '\n## The parts\n\n';

const INTRODUCTION = `# Proof

Every figure on this page was measured by \`npm run proof\` on one machine, which ran both databases, the service and its clients.
That command writes the page; it keeps the raw results, which are not in the repository, in \`DATA_DIR/proof\`.

\`\`\`
npm run proof                  # everything, about ${MINUTES} minutes on two cores; use an idle machine
npm run proof -- --only=reads  # some parts (comma-separated); the others keep their figures
npm run proof -- --compare     # measures again and compares with the page; fails when a ratio is off by more than a quarter
npm run proof -- --page        # writes the page from the raw results, measures nothing
npm run proof -- --smoke       # each part in seconds, into a temporary folder; CI runs this
\`\`\`

## Targets
`;

const EXPLANATION = `A target is a bound of the ratio to a peer, or of the value of a figure without a ratio. Figures without a target are reported.`;

/**
 * A figure as the page shows it. `part` is the title of its part; `result` is empty without a target, or `met`, `**missed**`,
 * `**failed**` or `**not measured**`.
 */
export type Row = Readonly<Record<(typeof COLUMNS)[number], string>>;

/** The page's text: rows and sections of parts with a result are new, the others remain as on the former page. */
export function renderPage(former: string, results: ReadonlyMap<string, PartResult>): string {
  const known = readRows(former);
  const rows = SECTIONS.flatMap(({ name, title }) => {
    const own = known.filter(({ part }) => part === title);
    const result = results.get(name);
    return result === undefined ? own : rowsOf(title, result, own);
  });
  const lines = rows.map((row) => line(COLUMNS.map((column) => row[column])));
  const table = [line(HEAD), '|---|---|--:|---|--:|--:|--:|---|', ...lines].join('\n');
  const sections = SECTIONS.map((section) => {
    const result = results.get(section.name);
    return result === undefined ? formerSection(former, section) : sectionOf(section.title, result);
  });
  return `${[INTRODUCTION, countLine(rows), '', table, '', EXPLANATION].join('\n')}\n${PARTS_HEAD}${sections.join('\n\n')}\n`;
}

/** The rows of a page. */
export function readRows(page: string): readonly Row[] {
  const lines = page
    .split(PARTS_HEAD, 1)[0]!
    .split('\n')
    .filter((text) => text.startsWith('| '));
  return lines.slice(1).map((text) => {
    const cells = text.slice(2, -2).split(' | ');
    const [part = '', name = '', value = '', against = '', ratio = '', target = '', aim = '', result = ''] = cells;
    return { part, name, value, against, ratio, target, aim, result };
  });
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The rows of a measured part; targets that it had and that were not measured this time stay visible. */
function rowsOf(part: string, { error, figures }: PartResult, former: readonly Row[]): readonly Row[] {
  const rows = figures.map((figure) => rowOf(part, figure));
  const keys = new Set(rows.map(keyOf));
  const missing = former.filter((row) => row.target !== '' && !keys.has(keyOf(row)));
  const result = error === null ? '**not measured**' : '**failed**';
  const left = missing.map((row): Row => ({ ...row, value: '', ratio: '', result }));
  return [...rows, ...left];
}

const keyOf = ({ part, name }: Row): string => `${part}: ${name}`;

function rowOf(part: string, { name, value, unit, ratio, against, target }: Figure): Row {
  const measured = ratio ?? value ?? Number.NaN;
  const { atLeast, atMost, aim } = target ?? {};
  const met = measured >= (atLeast ?? Number.NEGATIVE_INFINITY) && measured <= (atMost ?? Number.POSITIVE_INFINITY);
  const bounds = [
    atLeast === undefined ? '' : `≥ ${readable(atLeast)}`,
    atMost === undefined ? '' : `≤ ${readable(atMost)}`,
  ];
  return {
    part,
    name: code(name),
    value: value === null ? 'unknown' : `${readable(value)} ${unit}`,
    against: code(against),
    ratio: ratio === null ? '' : readable(ratio),
    target: bounds.join(''),
    aim: aim === undefined ? '' : readable(aim),
    result: target === undefined ? '' : met ? 'met' : '**missed**',
  };
}

/** Marks operators of MongoDB as code: a dollar sign begins a formula in Markdown. */
const code = (text: string): string => text.replaceAll(/\$\w+/g, '`$&`');

/** Formats a number for people: thousands separators, three significant digits. */
function readable(value: number): string {
  const rounded = Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 4 });
}

function countLine(rows: readonly Row[]): string {
  const targets = rows.filter(({ target }) => target !== '');
  const count = (wanted: string): number => targets.filter(({ result }) => result === wanted).length;
  const others = ['**missed**', '**failed**', '**not measured**']
    .map((result) => [count(result), result.replaceAll('*', '')] as const)
    .flatMap(([number, result]) => (number === 0 ? [] : [`${number} ${result}`]));
  return [`Of ${targets.length} targets, ${count('met')} are met`, ...others].join('; ').concat('.');
}

function sectionOf(title: string, { command, date, seconds, commit, machine, error, text }: PartResult): string {
  const when = `${date.slice(0, 16).replace('T', ' ')} UTC`;
  const took = seconds === undefined ? [] : [`${readable(seconds)} s`];
  const run = [`\`${command}\``, when, ...took, `at ${commit}`, `on ${machine}`].join(', ');
  const output = error ?? text;
  return `### ${title}\n\n${run}${error === null ? '' : ': **failed**'}.${output === '' ? '' : `\n\n\`\`\`\n${output}\n\`\`\``}`;
}

function formerSection(former: string, { name, title, does }: typeof FAULT_RUNS): string {
  const sections = (former.split(PARTS_HEAD)[1] ?? '').split(/\n*^(?=### )/m);
  const found = sections.find((section) => section.startsWith(`### ${title}\n`));
  return found?.trimEnd() ?? `### ${title}\n\n\`${commandOf(does)}\`: not run yet (\`${name}\`).`;
}

/** A figure of two runs. */
export type Change = ReturnType<typeof compareRows>[number];

/** The figures with a target that both pages have. */
export function compareRows(first: readonly Row[], second: readonly Row[]) {
  return first.flatMap((row) => {
    const other = second.find((one) => keyOf(one) === keyOf(row));
    if (row.target === '' || other === undefined) return [];
    // Ratios to a peer of the same run are checked; other values depend on the machine and are only reported.
    const checked = row.ratio !== '';
    const of = ({ ratio, value }: Row): number => Number.parseFloat((checked ? ratio : value).replaceAll(',', ''));
    const [before, after] = [of(row), of(other)];
    if (Number.isNaN(before) || Number.isNaN(after)) return [];
    /** Second over first, minus one. */
    const change = before === after ? 0 : after / before - 1;
    const off = checked && !(Math.abs(change) <= MAX_CHANGE);
    return [{ what: keyOf(row), first: before, second: after, change, checked, off }];
  });
}
