import { type Html, html, NOTHING } from '../html.ts';
import { type Scale, scaleOf, timeTicks } from './axes.ts';

/** Values at moments (milliseconds since the epoch); null interrupts the line. */
export type Series = readonly { readonly at: number; readonly value: number | null }[];

interface LineChart {
  /** Unique on its page. */
  readonly id: string;
  readonly title: string;
  /** The text for screen readers. */
  readonly description: string;
  /** One to five: all but the first are dashed, each in its way, and end in a square: they differ by more than colour. */
  readonly series: readonly Series[];
  /** 1 at the top, and whole numbers only. */
  readonly ranks: boolean;
}

const WIDTH = 380;
const HEIGHT = 210;
const LEFT = 46;
const RIGHT = 366;
const TOP = 12;
const BOTTOM = 180;

/** Half of the widest label of the time axis. */
const HALF_LABEL = 24;

const AXIS = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });

/** Classes of the lines, in order. */
export const LINE_CLASSES = ['first', 'second', 'third', 'fourth', 'fifth'] as const;

/** A chart as SVG, drawn by classes of the stylesheet, its span, and whether its value axis is logarithmic. Null when no line can be drawn: it needs two moments. */
export function lineChart({ id, title, description, series, ranks }: LineChart) {
  const moments = series.flatMap((points) => points.filter(({ value }) => value !== null).map(({ at }) => at));
  const [from, until] = [Math.min(...moments), Math.max(...moments)];
  if (moments.length < 2 || from === until) return null;
  const values = series.flatMap((points) => points.flatMap(({ value }) => value ?? []));
  const y = ranks ? rankScale(values) : scaleOf(values, BOTTOM, TOP);
  const x = (at: number): number => LEFT + ((at - from) / (until - from)) * (RIGHT - LEFT);
  const svg = html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc>${valuesHtml(y)}${timesHtml(from, until, x)}${series.map((points, index) => seriesHtml(points, x, y, LINE_CLASSES[index] ?? 'fifth'))}</svg>`;
  return { svg, from, until, isLogarithmic: y.isLogarithmic };
}

function rankScale(values: readonly number[]): Scale {
  const scale = scaleOf([1, ...values], TOP, BOTTOM);
  const whole = scale.ticks.filter((tick) => Number.isInteger(tick) && tick >= 1);
  return { ...scale, ticks: [...new Set([1, ...whole])] };
}

function valuesHtml(y: Scale): Html[] {
  return y.ticks.map((tick) => {
    const at = y.place(tick).toFixed(1);
    return html`<path class="grid" d="M${LEFT} ${at}H${RIGHT}"/><text x="${LEFT - 8}" y="${at}" dy="4" text-anchor="end">${AXIS.format(tick)}</text>`;
  });
}

function timesHtml(from: number, until: number, x: (at: number) => number): Html {
  const labels = new Set<string>();
  const ticks = timeTicks(from, until).map(({ at, label }) => {
    const place = x(at);
    // The ends of a short history may be in one minute.
    const isNew = !labels.has(label);
    labels.add(label);
    const middle = Math.min(place, WIDTH - HALF_LABEL).toFixed(1);
    return html`<path class="tick" d="M${place.toFixed(1)} ${BOTTOM}v5"/>${isNew ? html`<text x="${middle}" y="${BOTTOM + 20}" text-anchor="middle">${label}</text>` : NOTHING}`;
  });
  return html`<path class="base" d="M${LEFT} ${BOTTOM}H${RIGHT}"/>${ticks}`;
}

/** A line with a mark at its last value; `null` values interrupt it. */
function seriesHtml(
  points: Series,
  x: (at: number) => number,
  y: Scale,
  className: (typeof LINE_CLASSES)[number],
): Html {
  const end = points.findLast(({ value }) => value !== null);
  if (end === undefined) return NOTHING;
  const [cx, cy] = [x(end.at), y.place(end.value ?? 0)];
  const mark =
    className === 'first'
      ? html`<circle class="dot first" cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="3.5"/>`
      : html`<rect class="dot ${className}" x="${(cx - 3.25).toFixed(1)}" y="${(cy - 3.25).toFixed(1)}" width="6.5" height="6.5"/>`;
  return html`<path class="line ${className}" d="${linePath(points, x, y)}"/>${mark}`;
}

/** The `d` of a path through the values. */
export function linePath(points: Series, x: (at: number) => number, y: Pick<Scale, 'place'>): string {
  let d = '';
  let down = false;
  for (const { at, value } of points) {
    if (value !== null) d += `${down ? 'L' : 'M'}${x(at).toFixed(1)} ${y.place(value).toFixed(1)}`;
    down = value !== null;
  }
  return d;
}
