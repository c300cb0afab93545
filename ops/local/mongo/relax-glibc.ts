import { cString, elfTables, type NeededVersion, SYMBOL_BYTES } from './elf-tables.ts';

const MACHINE_AARCH64 = 183;

/** Marks a needed version as one whose absence the dynamic linker accepts. */
const FLAG_WEAK = 2;

const C23_PREFIX = '__isoc23_';

/** A glibc version such as 2.36. */
export interface GlibcVersion {
  readonly major: number;
  readonly minor: number;
}

/** Parses `2.36`, or `GLIBC_2.36` of a symbol; null for other text. */
export function parseGlibcVersion(text: string): GlibcVersion | null {
  const parts = /^(?:GLIBC_)?(\d+)\.(\d+)/.exec(text);
  return parts === null ? null : { major: Number(parts[1]), minor: Number(parts[2]) };
}

export function isOlder(left: GlibcVersion, right: GlibcVersion): boolean {
  return left.major < right.major || (left.major === right.major && left.minor < right.minor);
}

/**
 * Rewrites a shared object in place so that it loads on an older glibc than it was linked with, if each newer symbol that
 * it needs has an older equivalent: `__isoc23_strtol` and its relatives are `strtol` (C23 also parses `0b1`), and the newer
 * `fmod` only does not set `errno`. Returns the rewritten symbols.
 * @throws Error with the symbols that have no older equivalent.
 */
export function relaxGlibc(file: Buffer, have: GlibcVersion): string[] {
  const tables = elfTables(file);
  const byIndex = new Map(tables.neededVersions.map((needed) => [needed.index, needed]));
  const tooNew = (needed: NeededVersion) => {
    const version = parseGlibcVersion(needed.version);
    return version !== null && isOlder(have, version);
  };
  const first = tables.machine === MACHINE_AARCH64 ? 'GLIBC_2.17' : 'GLIBC_2.2.5';
  const firstOf = (library: string) =>
    tables.neededVersions.find((needed) => needed.library === library && needed.version === first)?.index ?? 1;

  const rewritten: string[] = [];
  const stuck: string[] = [];
  for (let number = 1; number < tables.undefinedSymbols; number += 1) {
    const versionAt = tables.symbolVersions + 2 * number;
    const needed = byIndex.get(file.readUInt16LE(versionAt) & 0x7f_ff);
    if (needed === undefined || !tooNew(needed)) continue;
    const nameAt = tables.symbols + SYMBOL_BYTES * number;
    const nameOffset = file.readUInt32LE(nameAt);
    const name = cString(file, tables.strings + nameOffset);
    const renamed = name.startsWith(C23_PREFIX);
    if (!renamed && name !== 'fmod') {
      stuck.push(`${name}@${needed.version}`);
      continue;
    }
    if (renamed) file.writeUInt32LE(nameOffset + C23_PREFIX.length, nameAt);
    file.writeUInt16LE(firstOf(needed.library), versionAt);
    rewritten.push(`${name}@${needed.version}`);
  }
  if (stuck.length > 0) throw new Error(`a newer glibc is needed for ${stuck.join(', ')}`);
  for (const needed of tables.neededVersions.filter(tooNew)) {
    file.writeUInt16LE(file.readUInt16LE(needed.offset + 4) | FLAG_WEAK, needed.offset + 4);
  }
  return rewritten;
}
