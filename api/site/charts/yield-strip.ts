import type { Tier } from '../../../engine/ranking/methodologies/index.ts';
import { type Html, html } from '../../html.ts';

const WIDTH = 144;
const MIDDLE = 9;
const PADDING = 4;

/** Powers of ten that a strip shows below the first threshold, and above the last one or the largest Yield. */
const MARGIN_POWERS = 1;

/** Draws the strips of one board: a logarithmic scale with a tick at each tier's threshold, and a dot at the Yield. */
export function createYieldStrip(
  tiers: readonly Tier[],
  largest: number,
): { scale: Html; strip: (yield_: number) => Html } {
  const powers = tiers.filter(({ from }) => from > 0).map(({ from }) => Math.log10(from));
  const low = Math.min(...powers, 0) - MARGIN_POWERS;
  const high = Math.max(...powers, largest > 0 ? Math.log10(largest) : 0) + MARGIN_POWERS;
  const place = (power: number): number => {
    const share = Math.min(1, Math.max(0, (power - low) / (high - low)));
    return Math.round((PADDING + share * (WIDTH - 2 * PADDING)) * 10) / 10;
  };
  const ticks = powers.map((power) => `M${place(power)} 5V13`).join('');
  return {
    // The scale is drawn once; every row references it.
    scale: html`<svg width="0" height="0" aria-hidden="true" class="said"><symbol id="tiers" viewBox="0 0 ${WIDTH} 18"><path class="axis" d="M0 ${MIDDLE}H${WIDTH}${ticks}" fill="none"/></symbol></svg>`,
    strip: (yield_) => {
      const at = place(yield_ > 0 ? Math.log10(yield_) : low);
      return html`<svg class="strip" viewBox="0 0 ${WIDTH} 18" aria-hidden="true"><use href="#tiers"/><path class="reach" d="M${PADDING} ${MIDDLE}H${at}"/><circle class="at" cx="${at}" cy="${MIDDLE}" r="4"/></svg>`;
    },
  };
}
