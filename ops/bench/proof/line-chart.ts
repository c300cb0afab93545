import type { Curve } from './curves.ts';

const WIDTH = 720;
const HEIGHT = 360;
const LEFT = 72;
const RIGHT = 200;
const TOP = 44;
const BOTTOM = 48;
/** Least distance of curve labels, in pixels. */
const LABEL_GAP = 16;
/** Colours that are distinguishable on white and on dark grey, also with red-green colour blindness. */
const COLOURS = ['#2f6fdb', '#d9700a', '#158a6b', '#b0449f', '#8a7a12'];

/** A chart with two logarithmic axes, as SVG for light and dark pages. */
export function lineChart(title: string, unit: string, curves: readonly Curve[]): string {
  const shown = curves.filter(({ points }) => points.length > 0);
  const all = shown.flatMap(({ points }) => points);
  const x = scale(decades(all.map(([operators]) => operators)), LEFT, WIDTH - RIGHT);
  const y = scale(decades(all.map(([, value]) => value)), HEIGHT - BOTTOM, TOP);
  const labels = apart(shown.map(({ points }) => y.at(points.at(-1)?.[1] ?? 1)));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">`,
    '<style>',
    'text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600; font-size: 15px }',
    '.ground { fill: #ffffff } .grid { stroke: #d0d7de } path { fill: none; stroke-width: 2 }',
    '@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .ground { fill: #0d1117 } .grid { stroke: #30363d } }',
    '</style>',
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="title" x="${LEFT}" y="24">${escaped(title)} (${escaped(unit)})</text>`,
    ...x.ticks.flatMap((tick) => [
      `<line class="grid" x1="${x.at(tick)}" x2="${x.at(tick)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`,
      `<text x="${x.at(tick)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${tickText(tick)}</text>`,
    ]),
    ...y.ticks.flatMap((tick) => [
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y.at(tick)}" y2="${y.at(tick)}"/>`,
      `<text x="${LEFT - 8}" y="${y.at(tick) + 4}" text-anchor="end">${tickText(tick)}</text>`,
    ]),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">operators</text>`,
    ...shown.flatMap((curve, index) => drawn(curve, COLOURS[index % COLOURS.length]!, x.at, y.at, labels[index]!)),
    '</svg>',
  ].join('\n')}\n`;
}

function drawn(
  { name, points }: Curve,
  colour: string,
  x: (value: number) => number,
  y: (value: number) => number,
  labelY: number,
): string[] {
  const places = points.map(([operators, value]) => `${x(operators)},${y(value)}`);
  return [
    `<path stroke="${colour}" d="M${places.join('L')}"/>`,
    ...points.map(([operators, value]) => `<circle cx="${x(operators)}" cy="${y(value)}" r="3.5" fill="${colour}"/>`),
    `<rect x="${WIDTH - RIGHT + 12}" y="${labelY - 5}" width="10" height="10" fill="${colour}"/>`,
    `<text x="${WIDTH - RIGHT + 28}" y="${labelY + 5}">${escaped(name)}</text>`,
  ];
}

/** The powers of ten around the values. */
function decades(values: readonly number[]): readonly [number, number] {
  if (values.length === 0) return [0, 1];
  const least = Math.floor(Math.log10(Math.min(...values)));
  return [least, Math.max(least + 1, Math.ceil(Math.log10(Math.max(...values))))];
}

function scale([least, most]: readonly [number, number], from: number, to: number) {
  const at = (value: number): number =>
    Math.round((from + ((Math.log10(value) - least) / (most - least)) * (to - from)) * 10) / 10;
  return { at, ticks: Array.from({ length: most - least + 1 }, (_, index) => 10 ** (least + index)) };
}

/** Moves places down until each has the least distance from the one above it. */
function apart(places: readonly number[]): readonly number[] {
  const shifted = [...places];
  const order = [...places.keys()].toSorted((one, other) => places[one]! - places[other]!);
  for (const [rank, index] of order.entries()) {
    const above = rank === 0 ? Number.NEGATIVE_INFINITY : shifted[order[rank - 1]!]!;
    shifted[index] = Math.max(shifted[index]!, above + LABEL_GAP);
  }
  return shifted;
}

function tickText(value: number): string {
  if (value >= 1e6) return `${value / 1e6}M`;
  if (value >= 1e4) return `${value / 1e3}k`;
  return String(Number(value.toPrecision(1)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
