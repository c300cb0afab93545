import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/** Inter, regular and semibold: see NOTICE. */
export const FONT_FILES = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf'].map((file) =>
  resolve(`@expo-google-fonts/inter/${file}`),
);

/** Ends with what viewers have who lack Inter. */
export const FONT_FAMILY = "Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/** Advance widths in ems by code point, from the tables `cmap` (in format 12), `head`, `hhea` and `hmtx` of an OpenType font. */
function readAdvances(font: Buffer): ReadonlyMap<number, number> {
  const table = (tag: string): Buffer => font.subarray(font.readUInt32BE(font.indexOf(tag, 12, 'latin1') + 8));
  const [cmap, hmtx] = [table('cmap'), table('hmtx')];
  const [em, metrics] = [table('head').readUInt16BE(18), table('hhea').readUInt16BE(34)];
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, at) => cmap.readUInt32BE(8 + 8 * at));
  const groups = cmap.subarray(subtables.find((at) => cmap.readUInt16BE(at) === 12));
  const advances = new Map<number, number>();
  for (let at = 16; at < groups.readUInt32BE(4); at += 12) {
    const [first, last] = [groups.readUInt32BE(at), groups.readUInt32BE(at + 4)];
    const glyph = groups.readUInt32BE(at + 8);
    for (let point = first; point <= last; point += 1) {
      advances.set(point, hmtx.readUInt16BE(4 * Math.min(glyph + point - first, metrics - 1)) / em);
    }
  }
  return advances;
}

const [REGULAR, SEMIBOLD] = FONT_FILES.map((file) => readAdvances(readFileSync(file)));

/** Whether the font has a glyph for each character. */
export function isDrawable(words: string): boolean {
  return Array.from(words).every((character) => REGULAR!.has(character.codePointAt(0)!));
}

/** The width of words, regular or semibold. */
export function widthOf(words: string, size: number, bold = false): number {
  const advances = Array.from(words, (character) => (bold ? SEMIBOLD : REGULAR)!.get(character.codePointAt(0)!) ?? 1);
  return advances.reduce((sum, advance) => sum + advance * size, 0);
}
