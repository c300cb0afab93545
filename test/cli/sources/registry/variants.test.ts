import { appendFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { SOURCES } from '../../../../cli/src/sources/registry.ts';
import type { Source } from '../../../../cli/src/sources/source.ts';
import { type Scanned, scanSource } from '../../support/scan-source.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url));

/** A number of tokens, in JSON or in JSON within JSON text. */
const COUNT =
  /((?:[iI]nput|[oO]utput|[tT]okens?|[tT]okens(?:In|Out)|[cC]ache\w*|read|write|reasoning)\w*\\?":\s*)\d+(?![.\d])/g;

const DATABASE = /\.(db|sqlite)$/;
const NONE = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

/** The counts of every source's fixtures when their files are changed in a way that a reader must bear. */
describe('logs of every tool, changed', () => {
  const folder = useFolder();

  /** A copy of a source's fixture. */
  const copyOf = async ({ platform }: Source, name = 'logs'): Promise<string> => {
    const copy = join(folder(), name);
    await cp(join(FIXTURES, platform), copy, { recursive: true });
    return copy;
  };
  const change = async (source: Source, changed: (text: string) => string): Promise<Scanned> => {
    const copy = await copyOf(source);
    const paths = (await readdir(copy, { recursive: true })).map((path) => join(copy, path));
    for (const path of paths.filter((each) => source.isLog(each))) {
      if (DATABASE.test(path)) await rm(path);
      else await writeFile(path, changed(await readFile(path, 'utf8')));
    }
    return await scanSource(source, [copy]);
  };

  for (const source of SOURCES) {
    const hasText = !['kilo-cli', 'hermes', 'goose', 'devin', 'zed'].includes(source.platform);

    describe(source.title, () => {
      it('count once, however often they are copied', async () => {
        const { totals, messages, files } = await scanSource(source, [await copyOf(source)]);
        const copies = await scanSource(source, [
          await copyOf(source),
          await copyOf(source, 'a'),
          await copyOf(source, 'b'),
        ]);
        expect(copies.totals).to.deep.equal(totals);
        expect(copies.messages).to.equal(messages);
        expect(copies.files).to.equal(3 * files);
      });

      if (!hasText) return;

      it('count the same with a byte order mark and carriage returns', async () => {
        const { totals } = await change(source, (text) => text);
        const marked = await change(source, (text) => `\uFEFF${text.replaceAll('\n', '\r\n')}`);
        expect(marked.totals).to.deep.equal(totals);
      });

      it('count the same beside a line or a document that was cut off, which is reported', async () => {
        const { totals, skipped } = await scanSource(source, [await copyOf(source)]);
        const copy = await copyOf(source);
        const paths = (await readdir(copy, { recursive: true })).map((path) => join(copy, path));
        const log = paths.find((path) => source.isLog(path) && /\.jsonl?$/.test(path));
        const text = await readFile(log!, 'utf8');
        const half = text.trimEnd().slice(log!.endsWith('.jsonl') ? text.trimEnd().lastIndexOf('\n') + 1 : 0, -2);
        if (log!.endsWith('.jsonl')) {
          await appendFile(log!, `${text.endsWith('\n') ? '' : '\n'}${half}`);
        } else {
          const other = log!.replace(copy, join(folder(), 'half'));
          await mkdir(dirname(other), { recursive: true });
          await writeFile(other, half);
        }
        const cut = await scanSource(source, [folder()]);
        expect(cut.totals).to.deep.equal(totals);
        expect(cut.skipped).to.not.deep.equal(skipped);
      });

      for (const value of ['-1', '0.5', '"7"', '1e999', '[7]']) {
        it(`skip and report counts such as ${value}`, async () => {
          const { totals, skipped } = await change(source, (text) =>
            text.replaceAll(
              COUNT,
              (_, name: string) => `${name}${name.includes('\\') ? value.replaceAll('"', '\\"') : value}`,
            ),
          );
          expect(totals).to.deep.equal(NONE);
          expect(skipped['invalid_counts']).to.be.greaterThan(0);
        });
      }
    });
  }
});
