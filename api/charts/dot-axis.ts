import { type Html, html } from '../html.ts';
import { scaleOf } from './axes.ts';

const WIDTH = 380;
const ROW = 24;

/** A value with its name, as it is written beside its dot. */
export type Dot = readonly [label: string, value: number, shown: string];

/** A dot for each value above 0, on one axis. Hidden from screen readers: the text beside it has the same numbers. */
export function dotAxis(dots: readonly Dot[], className = 'first'): Html {
  const shown = dots.filter(([, value]) => value > 0);
  const values = shown.map(([, value]) => value);
  const scale = scaleOf(values, 96, WIDTH - 60);
  const bottom = ROW * shown.length;
  const x = (value: number): string => scale.place(value).toFixed(1);
  const lines = scale.ticks.map(
    (tick) =>
      html`<path class="grid" d="M${x(tick)} 0V${bottom}"/><text x="${x(tick)}" y="${bottom + 15}" text-anchor="middle">${tick.toLocaleString('en-US')}</text>`,
  );
  const rows = shown.map(([label, value, words], row) => {
    const y = ROW * row + ROW / 2;
    const kind = row === 0 ? className : 'third';
    return html`<text x="0" y="${y + 4}">${label}</text><circle class="dot ${kind}" cx="${x(value)}" cy="${y}" r="5"/><text class="value" x="${(scale.place(value) + 9).toFixed(1)}" y="${y + 4}">${words}</text>`;
  });
  return html`<figure class="dots" aria-hidden="true"><svg class="chart" viewBox="0 0 ${WIDTH} ${bottom + 20}">${lines}${rows}</svg>${scale.isLogarithmic ? html`<figcaption>Logarithmic scale</figcaption>` : null}</figure>`;
}
