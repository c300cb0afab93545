import { type Html, html } from '../../html.ts';
import { readable } from '../render/numbers.ts';

/** Per cent of the width that one token of input takes, and each power of ten above it. */
const UNIT = 14;

/**
 * Cache reads and output for each token of input, as three bands on a logarithmic scale. Hidden from screen readers: the
 * sentence before contains the same numbers.
 */
export function cascadeBands(leverage: number, velocity: number): Html {
  return html`<div class="cascade" aria-hidden="true">${row('cache', 'cache read', leverage)}${row('input', 'input', 1)}${row('output', 'output', velocity)}</div>`;
}

function row(className: string, label: string, ratio: number): Html {
  return html`<div><span>${label}</span><svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect class="${className}" width="${lengthOf(ratio)}" height="10"/></svg><span>${readable(ratio)}</span></div>`;
}

function lengthOf(ratio: number): string {
  const powers = ratio > 0 ? Math.log10(ratio) : Number.NEGATIVE_INFINITY;
  return Math.min(100, Math.max(1, UNIT * (1 + powers))).toFixed(1);
}
