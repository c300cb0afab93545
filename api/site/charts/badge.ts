import * as z from 'zod';
import { LeaderboardQuery } from '../../../engine/contract/index.ts';
import type { WindowScore } from '../../../engine/ranking/index.ts';
import { type Html, html } from '../../html.ts';
import { percentileText, readable } from '../render/numbers.ts';
import { THEMES, themeStyle } from './theme.ts';

const HEIGHT = 28;
const SAMPLE_WIDTH = 34;

/** Width of a character of the badge's font, in pixels; `textLength` stretches the text to exactly this. */
const CHARACTER = 7.2;
const PADDING = 10;

export const BadgeQuery = z.object({
  window: LeaderboardQuery.shape.window,
  theme: z.enum(THEMES).default('dark'),
  metric: z.enum(['rank', 'percentile', 'tier', 'yield']).default('rank'),
});

type Asked = Pick<z.output<typeof BadgeQuery>, 'metric' | 'theme'>;
type Badged = Pick<WindowScore, 'rank' | 'class_tier' | 'percentile' | 'yield_'> & { readonly codename: string };

/** Width of an operator's badge, in pixels. */
export function badgeWidth(badged: Badged, metric: Asked['metric'] = 'rank'): number {
  return Math.round(leftWidth(badged) + standingOf(badged, metric).length * CHARACTER + 2 * PADDING);
}

/** An operator's standing by one metric as a self-contained SVG. */
export function badge(badged: Badged, { metric, theme }: Asked): string {
  const { codename } = badged;
  const standing = standingOf(badged, metric);
  const left = leftWidth(badged);
  const width = badgeWidth(badged, metric);
  const drawn = html`<rect class="f-paper" width="${width}" height="${HEIGHT}" rx="3"/><path d="M${left.toFixed(1)} 0H${width - 3}a3 3 0 0 1 3 3V${HEIGHT - 3}a3 3 0 0 1-3 3H${left.toFixed(1)}z" fill="#075f74"/><g fill="none" stroke-width="2" stroke-linecap="round" transform="translate(7 4) scale(.82)"><path class="s-sea" d="M3 4c5 0 9 4 9 9v8"/><path class="s-ember" d="M21 4c-5 0-9 4-9 9v8"/></g><g font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="12">${label(SAMPLE_WIDTH, codename, html` class="f-ink"`)}${label(left + PADDING, standing, html` fill="#ffffff"`)}</g>`;
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="Upsilon: ${codename}, ${standing}"><title>Upsilon: ${codename}, ${standing}</title>${themeStyle(theme, drawn)}${drawn}</svg>`,
  );
}

function standingOf({ rank, class_tier: tier, percentile, yield_ }: Badged, metric: Asked['metric']): string {
  if (rank === null) return 'not ranked';
  if (metric === 'percentile') return `percentile ${percentileText(percentile ?? 0)}`;
  if (metric === 'yield') return `Yield ${readable(yield_ ?? 0)}`;
  return metric === 'tier' ? (tier ?? 'no tier') : `#${readable(rank)} ${tier ?? ''}`.trim();
}

function leftWidth({ codename }: Badged): number {
  return SAMPLE_WIDTH + codename.length * CHARACTER + PADDING;
}

function label(x: number, words: string, colour: Html): Html {
  return html`<text x="${x.toFixed(1)}" y="18.5"${colour} textLength="${(words.length * CHARACTER).toFixed(1)}" lengthAdjust="spacingAndGlyphs">${words}</text>`;
}
