/** Tags of the entries of an ELF dynamic section (System V ABI and the GNU symbol versioning extension). */
const TAG = {
  end: 0n,
  strings: 5n,
  symbols: 6n,
  gnuHash: 0x6ffffef5n,
  symbolVersions: 0x6ffffff0n,
  versionNeeds: 0x6ffffffen,
  versionNeedCount: 0x6fffffffn,
} as const;

const SEGMENT_LOAD = 1;
const SEGMENT_DYNAMIC = 2;

/** Sizes of a symbol and of a dynamic section entry in a 64-bit file, in bytes. */
export const SYMBOL_BYTES = 24;
const DYNAMIC_ENTRY_BYTES = 16;

/** A symbol version that a file needs, such as GLIBC_2.38 of libm.so.6. */
export type NeededVersion = ReturnType<typeof elfTables>['neededVersions'][number];

/** Reads the file offsets of the dynamic linker's tables of a 64-bit little-endian ELF file, in bytes. @throws Error for any other file. */
export function elfTables(file: Buffer) {
  if (file.readUInt32BE(0) !== 0x7f_45_4c_46 || file[4] !== 2 || file[5] !== 1) {
    throw new Error('not a 64-bit little-endian ELF file');
  }
  const { entries, offsetOf } = dynamicSection(file);
  const table = (tag: bigint) => offsetOf(entries.get(tag) ?? missing(tag));
  const strings = table(TAG.strings);
  return {
    strings,
    symbols: table(TAG.symbols),
    symbolVersions: table(TAG.symbolVersions),
    /**
     * Symbols with a lower number are undefined: libraries must supply them. A GNU hash table covers the defined symbols, which
     * follow the undefined ones, and stores the index of its first symbol.
     */
    undefinedSymbols: file.readUInt32LE(table(TAG.gnuHash) + 4),
    neededVersions: [...neededVersions(file, strings, table(TAG.versionNeeds), entries.get(TAG.versionNeedCount) ?? 0)],
    machine: file.readUInt16LE(18),
  };
}

/** The text at an offset, up to its zero byte. */
export function cString(file: Buffer, offset: number): string {
  return file.toString('latin1', offset, file.indexOf(0, offset));
}

function dynamicSection(file: Buffer) {
  const segments = programHeaders(file);
  const dynamic = segments.find((segment) => segment.type === SEGMENT_DYNAMIC);
  if (dynamic === undefined) throw new Error('the ELF file has no dynamic section');
  const entries = new Map<bigint, number>();
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += DYNAMIC_ENTRY_BYTES) {
    const tag = file.readBigUInt64LE(at);
    if (tag === TAG.end) break;
    entries.set(tag, Number(file.readBigUInt64LE(at + 8)));
  }
  const offsetOf = (address: number) => {
    const segment = segments.find(
      ({ type, address: from, size }) => type === SEGMENT_LOAD && address >= from && address < from + size,
    );
    if (segment === undefined) throw new Error('an address of the ELF file lies outside of it');
    return address - segment.address + segment.offset;
  };
  return { entries, offsetOf };
}

function programHeaders(file: Buffer) {
  const start = Number(file.readBigUInt64LE(32));
  const size = file.readUInt16LE(54);
  return Array.from({ length: file.readUInt16LE(56) }, (_, number) => {
    const at = start + number * size;
    return {
      type: file.readUInt32LE(at),
      offset: Number(file.readBigUInt64LE(at + 8)),
      address: Number(file.readBigUInt64LE(at + 16)),
      size: Number(file.readBigUInt64LE(at + 32)),
    };
  });
}

function* neededVersions(file: Buffer, strings: number, start: number, libraries: number) {
  let need = start;
  for (let number = 0; number < libraries; number += 1) {
    const library = cString(file, strings + file.readUInt32LE(need + 4));
    let offset = need + file.readUInt32LE(need + 8);
    for (let version = 0; version < file.readUInt16LE(need + 2); version += 1) {
      yield {
        /** Index by which symbols refer to it. */
        index: file.readUInt16LE(offset + 6) & 0x7f_ff,
        library,
        version: cString(file, strings + file.readUInt32LE(offset + 8)),
        /** File offset of its entry. */
        offset,
      };
      offset += file.readUInt32LE(offset + 12);
    }
    need += file.readUInt32LE(need + 12);
  }
}

function missing(tag: bigint): never {
  throw new Error(`the ELF file has no dynamic entry 0x${tag.toString(16)}`);
}
