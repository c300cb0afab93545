import { type Html, html, NOTHING } from '../../html.ts';
import { type Theme, themeStyle } from '../charts/theme.ts';
import { LEVELS } from '../render/numbers.ts';
import { FONT_FAMILY, widthOf } from './font.ts';

/** Cards are drawn in these units. No text that is always there is smaller than 18: half as wide, a card is still legible. */
const WIDTH = 600;
const HEIGHT = 315;
export const LEFT = 36;
export const RIGHT = WIDTH - LEFT;

interface TextOptions {
  readonly colour?: 'ink' | 'soft' | 'sea' | 'ember' | 'paper';
  readonly bold?: true;
  readonly anchor?: 'middle' | 'end';
  /** The width that it must not exceed. */
  readonly within?: number;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** A line of text, by its baseline: as wide as in the font that was measured, also where the viewer has another one. */
export function text(x: number, y: number, size: number, words: string, options: TextOptions = {}): Html {
  const { colour = 'ink', bold = false, anchor, within = Number.POSITIVE_INFINITY } = options;
  const width = widthOf(words, size, bold);
  const factor = Math.min(1, within / width);
  return html`<text class="f-${colour}" x="${x}" y="${y}" font-size="${round(size * factor)}"${bold ? html` font-weight="600"` : NOTHING}${anchor && html` text-anchor="${anchor}"`} textLength="${round(width * factor)}" lengthAdjust="spacingAndGlyphs">${words}</text>`;
}

/** A card as a self-contained SVG. `label` is its text for screen readers; `topic` is what it is about, in a few words. */
export function card(theme: Theme, label: string, topic: string, content: readonly Html[]): string {
  const drawn = html`<rect class="f-paper s-line" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="10"/><g fill="none" stroke-width="2.5" stroke-linecap="round" transform="translate(35 27)"><path class="s-sea" d="M3 4c5 0 9 4 9 9v8"/><path class="s-ember" d="M21 4c-5 0-9 4-9 9v8"/></g>${text(LEFT + 30, 46, 20, 'Upsilon', { bold: true })}${text(RIGHT, 46, 19, topic, { colour: 'soft', anchor: 'end' })}${content}`;
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}"><title>${label}</title>${themeStyle(theme, drawn)}<g font-family="${FONT_FAMILY}">${drawn}</g></svg>`,
  );
}

/** The grounds of tiers by level, as the stylesheet has them. */
const GROUNDS =
  'f-paper s-line,f-paper s-strong-line,f-paper s-strong-line,f-sea-wash,f-sea-wash,f-sea-wash s-sea,f-sea-wash s-sea,f-sea'.split(
    ',',
  );

/** A tier as the site shows it, its right end at that of the card. */
export function tier(y: number, name: string, width = tierWidth(name)): Html {
  const level = LEVELS.get(name) ?? 0;
  const colour = (['sea', 'paper'] as const)[level - 6] ?? 'ink';
  return html`<rect class="${GROUNDS[level]}" x="${RIGHT - width}" y="${y}" width="${width}" height="32" rx="4" stroke-width="1.5"/>${text(RIGHT - width / 2, y + 22.5, 18, name, { colour, bold: true, anchor: 'middle' })}`;
}

export function tierWidth(name: string | null | undefined): number {
  return name ? Math.round(widthOf(name, 18, true)) + 26 : 0;
}
