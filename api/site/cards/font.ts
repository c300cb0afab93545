import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/** Inter, regular and semibold: see NOTICE. */
export const FONT_FILES = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf'].map((file) =>
  resolve(`@expo-google-fonts/inter/${file}`),
);

/** Ends with what browsers have where they lack Inter. */
export const FONT_FAMILY = "Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

let advances: ReadonlyMap<number, number> | null = null;

/** Advance widths of the semibold face, which is the wider one, in ems by code point. */
function semibold(): ReadonlyMap<number, number> {
  advances ??= readAdvances(readFileSync(FONT_FILES[1]!));
  return advances;
}

/** Reads the tables `cmap` (its subtable in format 12), `hhea`, `head` and `hmtx` of an OpenType font. */
function readAdvances(font: Buffer): ReadonlyMap<number, number> {
  const table = (tag: string): Buffer => {
    const record = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + 16 * index).find(
      (at) => font.toString('latin1', at, at + 4) === tag,
    );
    return font.subarray(font.readUInt32BE(record! + 8));
  };
  const [cmap, hmtx] = [table('cmap'), table('hmtx')];
  const em = table('head').readUInt16BE(18);
  const lastMetric = table('hhea').readUInt16BE(34) - 1;
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) => cmap.readUInt32BE(8 + 8 * index));
  const groups = cmap.subarray(subtables.find((at) => cmap.readUInt16BE(at) === 12));
  const found = new Map<number, number>();
  for (let group = 0, at = 16; group < groups.readUInt32BE(12); group += 1, at += 12) {
    const [first, last, glyph] = [groups.readUInt32BE(at), groups.readUInt32BE(at + 4), groups.readUInt32BE(at + 8)];
    for (let point = first; point <= last; point += 1) {
      found.set(point, hmtx.readUInt16BE(4 * Math.min(glyph + point - first, lastMetric)) / em);
    }
  }
  return found;
}

/** Whether the font has a glyph for each character. */
export function isDrawable(words: string): boolean {
  return Array.from(words).every((character) => semibold().has(character.codePointAt(0)!));
}

/** The width of words in semibold; those of another font or face can differ by a tenth. */
export function widthOf(words: string, size: number): number {
  return Array.from(words, (character) => semibold().get(character.codePointAt(0)!) ?? 1).reduce(
    (sum, advance) => sum + advance * size,
    0,
  );
}

/** The size, at most `size`, at which words are at most `width` wide. */
export function fittingSize(words: string, size: number, width: number): number {
  return Math.min(size, Math.floor((size * width * 10) / Math.max(1, widthOf(words, size))) / 10);
}

/** Words in lines of at most `width`. */
export function linesOf(words: string, size: number, width: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && widthOf(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
