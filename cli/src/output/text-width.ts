/** Printable ASCII: most texts, of which each character is one column wide. */
const NARROW = /^[ -~]*$/;

/** Combining marks, joiners and other characters that occupy no column. */
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** Emoji, and characters that are East Asian wide or full-width (Unicode's UAX #11). */
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}]$/u;

/** The columns of a terminal that a text without control characters occupies. */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** A text that occupies at most `width` columns: what is cut off is shown as `…`. `keep`: the part that stays. */
export function cutText(text: string, width: number, keep: 'start' | 'end' = 'start'): string {
  if (textWidth(text) <= width) return text;
  const characters = keep === 'start' ? Array.from(text) : Array.from(text).toReversed();
  let left = width - 1;
  const kept: string[] = [];
  for (const character of characters) {
    left -= characterWidth(character);
    if (left < 0) break;
    kept.push(character);
  }
  return keep === 'start' ? `${kept.join('')}…` : `…${kept.toReversed().join('')}`;
}

/** Fills a text with spaces up to `width` columns. */
export function padText(text: string, width: number, align: 'left' | 'right'): string {
  const spaces = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'right' ? spaces + text : text + spaces;
}

function characterWidth(character: string): number {
  if (NARROW.test(character)) return 1;
  return ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}
