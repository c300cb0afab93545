import { DAY_MS, readableDay } from '../../../config/units.ts';
import type { HistoryPoint, OperatorHistory } from '../../../engine/ranking/index.ts';
import { LINE_CLASSES, lineChart } from '../../charts/line-chart.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { m, time } from '../render/inline.ts';
import { readable, readableOr, scoreOr } from '../render/numbers.ts';
import { folded, type Part, prose, section, shownOnly, table } from '../render/parts.ts';
import { namesText } from './forms.ts';

const MEASURES = [
  { id: 'yield', title: 'Yield', of: ({ yield_ }: HistoryPoint) => yield_ },
  { id: 'rank', title: 'Rank', of: ({ rank }: HistoryPoint) => rank },
] as const;

type Measure = (typeof MEASURES)[number];

/** Yield and rank over time of one to five operators: charts, and a table by day. */
export function historyParts(histories: readonly OperatorHistory[]): Part[] {
  const charts = MEASURES.map((measure) => chartOf(measure, histories));
  if (charts.every((chart) => chart === null)) {
    return [
      prose(
        m`The chart begins with the second board: come back in an hour. One board an hour is kept for a day, and one a day for 100 days.`,
      ),
    ];
  }
  return [
    section('pair', ...charts.flatMap((chart) => (chart === null ? [] : [shownOnly(() => chart)]))),
    ...switchParts(histories),
    folded('Table of values', dailyTable(histories)),
  ];
}

function chartOf(measure: Measure, histories: readonly OperatorHistory[]): Html | null {
  const { id, title, of } = measure;
  const chart = lineChart({
    id: `chart-${id}`,
    title: `${title} of ${names(histories)} over time`,
    description: histories.map((history) => describe(history, of)).join(' '),
    ranks: id === 'rank',
    series: histories.map(({ points }) => points.map((point) => ({ at: point.at, value: of(point) }))),
  });
  if (chart === null) return null;
  const [from, until] = [readableDay(chart.from), readableDay(chart.until)];
  const when = from === until ? `on ${from}, UTC` : `${from} to ${until}, UTC`;
  const scale = chart.isLogarithmic ? ', logarithmic scale' : '';
  return html`<figure><figcaption><strong>${id === 'rank' ? 'Rank, 1 at the top' : title}</strong> <span>${when}${scale}</span>${legend(histories)}</figcaption>${chart.svg}</figure>`;
}

/** The key of the chart's lines; a chart with one line has none. */
function legend(histories: readonly OperatorHistory[]): Html {
  if (histories.length < 2) return NOTHING;
  const keys = histories.map(
    ({ codename }, index) =>
      html`<li><svg class="chart key" viewBox="0 0 26 8" width="26" height="8" aria-hidden="true"><path class="line ${LINE_CLASSES[index] ?? 'fifth'}" d="M1 4H25"/></svg>${codename}</li>`,
  );
  return html`<ul class="legend">${keys}</ul>`;
}

function describe({ codename, points }: OperatorHistory, of: Measure['of']): string {
  const known = points.filter((point) => of(point) !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return `${codename} was not ranked.`;
  return `${codename}: ${readable(of(first) ?? 0)} on ${readableDay(first.at)}, ${readable(of(last) ?? 0)} on ${readableDay(last.at)}.`;
}

/** One sentence for each change of methodology, which can change a score without a new snapshot. */
function switchParts(histories: readonly OperatorHistory[]): Part[] {
  const points = histories.flatMap((history) => history.points).toSorted((a, b) => b.at - a.at);
  // Of the points of a methodology, the earliest is put last and stays.
  const began = new Map(points.map(({ at, methodology }) => [methodology, at]));
  return Array.from(began)
    .toSorted(([, a], [, b]) => a - b)
    .slice(1)
    .map(([id, at]) => prose(m`From ${time(at)}, boards use [methodology ${id}](login:/methodology).`));
}

/** The last point of each day, newest day first. */
function dailyTable(histories: readonly OperatorHistory[]): Part {
  const byDay = histories.map(({ points }) => new Map(points.map((point) => [Math.floor(point.at / DAY_MS), point])));
  const days = [...new Set(byDay.flatMap((map) => [...map.keys()]))].toSorted((a, b) => b - a);
  const columns = histories.flatMap(({ codename }) =>
    MEASURES.map(({ title }) => ({
      label: histories.length === 1 ? title : `${title} of ${codename}`,
      is: ['number'] as const,
    })),
  );
  return table({
    caption: `Yield and rank of ${names(histories)} by day`,
    columns: [{ label: 'Day', is: ['row'] }, ...columns],
    rows: days.map((day) => [
      readableDay(day * DAY_MS),
      ...byDay.flatMap((points) => {
        const { yield_ = null, rank = null } = points.get(day) ?? {};
        return [yield_ === null ? readableOr(null, 'not ranked') : scoreOr(yield_), readableOr(rank, 'not ranked')];
      }),
    ]),
  });
}

function names(histories: readonly OperatorHistory[]): string {
  return namesText(histories.map(({ codename }) => codename));
}
