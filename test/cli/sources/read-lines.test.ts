import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { decode, MAX_LINE_BYTES, readLines } from '../../../cli/src/sources/read-lines.ts';
import { MIB } from '../../../config/units.ts';
import { useFolder } from '../support/temporary-folder.ts';

type Heard = { readonly text: string; readonly terminated: boolean } | 'too long';

describe('reading lines', () => {
  const folder = useFolder();

  const hear = async (content: string | Buffer, maxLineBytes = MAX_LINE_BYTES): Promise<readonly Heard[]> => {
    const path = join(folder(), 'lines');
    await writeFile(path, content);
    const heard: Heard[] = [];
    const visitor = {
      line: (bytes: string, terminated: boolean) => void heard.push({ text: decode(bytes), terminated }),
      tooLong: () => void heard.push('too long'),
    };
    readLines(path, visitor, maxLineBytes);
    return heard;
  };

  it('visits every line, and reports whether the last one was terminated', async () => {
    expect(await hear('')).to.deep.equal([]);
    expect(await hear('a\n\nb')).to.deep.equal([
      { text: 'a', terminated: true },
      { text: '', terminated: true },
      { text: 'b', terminated: false },
    ]);
  });

  it('strips a byte order mark only at the start of the file', async () => {
    const texts = (await hear('\uFEFFa\n\uFEFFb\n')).map((each) => (each === 'too long' ? each : each.text));
    expect(texts).to.deep.equal(['a', '\uFEFFb']);
  });

  it('assembles lines that are longer than one read, without breaking characters', async () => {
    const long = 'é✨'.repeat(150_000);
    expect(await hear(`${long}\n${long}`)).to.deep.equal([
      { text: long, terminated: true },
      { text: long, terminated: false },
    ]);
  });

  it('reports exactly the lines above the limit as too long', async () => {
    const line = fc.string({ minLength: 0, maxLength: 12, unit: fc.constantFrom('a', 'b', '{', ' ') });
    await fc.assert(
      fc.asyncProperty(fc.array(line), async (lines) => {
        const heard = await hear(lines.map((each) => `${each}\n`).join(''), 8);
        expect(heard).to.deep.equal(lines.map((text) => (text.length > 8 ? 'too long' : { text, terminated: true })));
      }),
      { numRuns: 50 },
    );
  });

  it('applies the limit exactly to a line that spans several reads', async () => {
    for (const over of [-1, 0, 1]) {
      const line = 'x'.repeat(MIB / 2 + 10 + over);
      const expected = over > 0 ? 'too long' : { text: line, terminated: true };
      expect(await hear(`${line}\nshort\n`, MIB / 2 + 10)).to.deep.equal([
        expected,
        { text: 'short', terminated: true },
      ]);
    }
  });

  it('never buffers a huge line', async () => {
    const path = join(folder(), 'huge');
    const handle = await open(path, 'w');
    await handle.truncate(256 * MIB);
    await handle.close();
    let tooLong = 0;
    const before = process.resourceUsage().maxRSS;
    readLines(path, { line: () => expect.fail('the line is too long'), tooLong: () => void (tooLong += 1) });
    const grownMib = (process.resourceUsage().maxRSS - before) / 1024;
    expect(tooLong).to.equal(1);
    expect(grownMib).to.be.below(100);
  });
});
