import type { Profile } from '../../../engine/ranking/index.ts';
import { type Html, html } from '../../html.ts';
import { readable } from '../render/numbers.ts';

const HEIGHT = 28;
const SAMPLE_WIDTH = 34;

/** Width of a character of the badge's font, in pixels; `textLength` stretches the text to exactly this. */
const CHARACTER = 7.2;
const PADDING = 10;

type Badged = Pick<Profile, 'codename' | 'rank' | 'class_tier'>;

/** Width of an operator's badge, in pixels. */
export function badgeWidth(badged: Badged): number {
  return Math.round(leftWidth(badged) + standingOf(badged).length * CHARACTER + 2 * PADDING);
}

/** An operator's rank and tier as a self-contained SVG. */
export function badge(badged: Badged): string {
  const { codename } = badged;
  const standing = standingOf(badged);
  const left = leftWidth(badged);
  const width = badgeWidth(badged);
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="Upsilon: ${codename}, ${standing}"><title>Upsilon: ${codename}, ${standing}</title><rect width="${width}" height="${HEIGHT}" rx="3" fill="#12161a"/><path d="M${left.toFixed(1)} 0H${width - 3}a3 3 0 0 1 3 3V${HEIGHT - 3}a3 3 0 0 1-3 3H${left.toFixed(1)}z" fill="#075f74"/><g fill="none" stroke-width="2" stroke-linecap="round" transform="translate(7 4) scale(.82)"><path d="M3 4c5 0 9 4 9 9v8" stroke="#79c9dc"/><path d="M21 4c-5 0-9 4-9 9v8" stroke="#f2a668"/></g><g font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="12">${label(SAMPLE_WIDTH, '#ece8df', codename)}${label(left + PADDING, '#ffffff', standing)}</g></svg>`,
  );
}

function standingOf({ rank, class_tier: tier }: Badged): string {
  return rank === null ? 'not ranked' : `#${readable(rank)} ${tier ?? ''}`.trim();
}

function leftWidth({ codename }: Badged): number {
  return SAMPLE_WIDTH + codename.length * CHARACTER + PADDING;
}

function label(x: number, fill: string, words: string): Html {
  return html`<text x="${x.toFixed(1)}" y="18.5" fill="${fill}" textLength="${(words.length * CHARACTER).toFixed(1)}" lengthAdjust="spacingAndGlyphs">${words}</text>`;
}
