import { type Html, html, NOTHING } from '../render/html.ts';
import { readableDay } from '../render/inline.ts';
import { type Scale, scaleOf } from './scale.ts';

/** A value at a moment (milliseconds since the epoch); null interrupts the line. */
export interface ChartPoint {
  readonly at: number;
  readonly value: number | null;
}

export interface Series {
  readonly name: string;
  readonly points: readonly ChartPoint[];
}

export interface LineChart {
  /** Unique on its page. */
  readonly id: string;
  readonly title: string;
  /** What the lines say, in words. */
  readonly description: string;
  /** One or two: the second is dashed, so that they differ by more than colour. */
  readonly series: readonly Series[];
  /** 1 at the top, and whole numbers only. */
  readonly ranks?: boolean;
}

const WIDTH = 380;
const HEIGHT = 210;
const LEFT = 44;
const RIGHT = 372;
const TOP = 18;
const BOTTOM = 182;

/** Height of a label, so that two at the ends of lines do not cover each other. */
const LABEL_HEIGHT = 13;

const AXIS = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });

const CLASSES = ['first', 'second'] as const;

/** A chart as SVG, drawn by classes of the stylesheet. Null when there are not two moments to draw a line between. */
export function lineChart({ id, title, description, series, ranks = false }: LineChart): Html | null {
  const known = series.flatMap(({ points }) => points.filter(({ value }) => value !== null));
  const moments = known.map(({ at }) => at);
  const [first, last] = [Math.min(...moments), Math.max(...moments)];
  if (known.length < 2 || first === last) return null;
  const values = known.map(({ value }) => value ?? 0);
  const y = ranks ? rankScale(values) : scaleOf(values, BOTTOM, TOP);
  const x = (at: number): number => LEFT + ((at - first) / (last - first)) * (RIGHT - LEFT);
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc>${gridHtml(y)}<text x="${LEFT}" y="${HEIGHT - 8}">${readableDay(first)}</text><text x="${RIGHT}" y="${HEIGHT - 8}" text-anchor="end">${readableDay(last)}</text>${series.map(({ points }, index) => seriesHtml(points, x, y, CLASSES[index] ?? 'second'))}${series.length > 1 ? labelsHtml(series, y) : NOTHING}</svg>`;
}

function rankScale(values: readonly number[]): Scale {
  const scale = scaleOf([1, ...values], TOP, BOTTOM);
  const whole = scale.ticks.filter((tick) => Number.isInteger(tick) && tick >= 1);
  return { place: (rank) => scale.place(rank), ticks: [...new Set([1, ...whole])] };
}

function gridHtml(y: Scale): Html[] {
  return y.ticks.map((tick) => {
    const at = y.place(tick).toFixed(1);
    return html`<path class="grid" d="M${LEFT} ${at}H${RIGHT}"/><text x="${LEFT - 6}" y="${at}" dy="4" text-anchor="end">${AXIS.format(tick)}</text>`;
  });
}

function seriesHtml(points: readonly ChartPoint[], x: (at: number) => number, y: Scale, className: string): Html {
  let d = '';
  let down = false;
  for (const { at, value } of points) {
    if (value !== null) d += `${down ? 'L' : 'M'}${x(at).toFixed(1)} ${y.place(value).toFixed(1)}`;
    down = value !== null;
  }
  const end = points.findLast(({ value }) => value !== null);
  const dot =
    end === undefined
      ? NOTHING
      : html`<circle class="dot ${className}" cx="${x(end.at).toFixed(1)}" cy="${y.place(end.value ?? 0).toFixed(1)}" r="3.5"/>`;
  return html`<path class="line ${className}" d="${d}"/>${dot}`;
}

/** The names of two lines, over their ends. */
function labelsHtml(series: readonly Series[], y: Scale): Html[] {
  const ends = series.flatMap(({ name, points }, index) => {
    const end = points.findLast(({ value }) => value !== null);
    return end === undefined ? [] : [{ name, index, at: y.place(end.value ?? 0) - 8 }];
  });
  const [upper, lower] = ends.toSorted((a, b) => a.at - b.at);
  if (upper !== undefined && lower !== undefined && lower.at - upper.at < LABEL_HEIGHT) {
    // The lower one goes under its line.
    lower.at += LABEL_HEIGHT + 10;
  }
  return ends.map(
    ({ name, index, at }) =>
      html`<text class="${CLASSES[index] ?? 'second'}" x="${RIGHT}" y="${Math.max(at, 10).toFixed(1)}" text-anchor="end">${name}</text>`,
  );
}
