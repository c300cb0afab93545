import { type Html, html, NOTHING } from '../../html.ts';
import { type Theme, themeStyle } from '../charts/theme.ts';
import { tierLevel } from '../render/numbers.ts';
import { FONT_FAMILY, fittingSize, widthOf } from './font.ts';

/** Cards are drawn in these units; a PNG has two pixels for each. Nothing is smaller than 18: half as wide it is still legible. */
const WIDTH = 600;
const HEIGHT = 315;
export const LEFT = 36;
export const RIGHT = WIDTH - LEFT;

/** Weight and colour of a text. */
type Face = 'ink' | 'soft' | 'sea' | 'ember' | 'paper';

interface TextOptions {
  readonly face?: Face;
  readonly bold?: boolean;
  readonly anchor?: 'middle' | 'end';
  /** The width that it must not exceed. */
  readonly within?: number;
}

/** A line of text, by its baseline. */
export function text(x: number, y: number, size: number, words: string, options: TextOptions = {}): Html {
  const { face = 'ink', bold = false, anchor, within } = options;
  const fitted = within === undefined ? size : fittingSize(words, size, within);
  return html`<text class="f-${face}" x="${x}" y="${y}" font-size="${fitted}"${bold ? html` font-weight="600"` : NOTHING}${anchor && html` text-anchor="${anchor}"`}>${words}</text>`;
}

/** A card as a self-contained SVG. `label` is its text for screen readers; `topic` is what it is about, in a few words. */
export function card(theme: Theme, label: string, topic: string, ...content: readonly Html[]): string {
  const drawn = html`<rect class="f-paper s-line" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="10"/>${markAt(LEFT - 3, 27, 1)}${text(LEFT + 30, 46, 20, 'Upsilon', { bold: true })}${text(RIGHT, 46, 19, topic, { face: 'soft', anchor: 'end' })}${content}`;
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}"><title>${label}</title>${themeStyle(theme, drawn)}<g font-family="${FONT_FAMILY}">${drawn}</g></svg>`,
  );
}

/** The mark of the site. */
function markAt(x: number, y: number, scale: number): Html {
  return html`<g fill="none" stroke-width="2.5" stroke-linecap="round" transform="translate(${x} ${y}) scale(${scale})"><path class="s-sea" d="M3 4c5 0 9 4 9 9v8"/><path class="s-ember" d="M21 4c-5 0-9 4-9 9v8"/></g>`;
}

/** Ground, border and text of a tier by its level, as the stylesheet has them. */
const TIER_CLASSES = [
  ['f-paper s-line', 'ink'],
  ['f-paper s-strong-line', 'ink'],
  ['f-paper s-strong-line', 'ink'],
  ['f-sea-wash', 'ink'],
  ['f-sea-wash', 'ink'],
  ['f-sea-wash s-sea', 'ink'],
  ['f-sea-wash s-sea', 'sea'],
  ['f-sea', 'paper'],
] as const;

/** A tier as the site shows it, its right end at `right`. */
export function tier(right: number, y: number, name: string): Html {
  const [ground, face] = TIER_CLASSES[tierLevel(name)]!;
  const width = tierWidth(name);
  return html`<rect class="${ground}" x="${right - width}" y="${y}" width="${width}" height="32" rx="4" stroke-width="1.5"/>${text(right - width / 2, y + 22.5, 18, name, { face, bold: true, anchor: 'middle' })}`;
}

export function tierWidth(name: string | null): number {
  return name === null ? 0 : Math.round(widthOf(name, 18)) + 26;
}

/** What is shown of an operator that is excluded. */
export function staticCard(theme: Theme): string {
  const line = 'The public leaderboard of AI operators';
  return card(
    theme,
    `Upsilon: ${line}`,
    '',
    text(LEFT, 172, 30, line, { bold: true }),
    text(LEFT, 216, 24, 'Yield = cache read × output ÷ input²', { face: 'sea' }),
  );
}
