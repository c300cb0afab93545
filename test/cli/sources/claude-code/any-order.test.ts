import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { claudeCode } from '../../../../cli/src/sources/claude-code.ts';
import { COUNT_FIELDS, type Counts } from '../../../../engine/contract/signing/index.ts';
import { assistantLine, writeLog } from '../../support/log-lines.ts';
import { scanSource } from '../../support/scan-source.ts';
import { useFolder } from '../../support/temporary-folder.ts';

/** How many corpora are written to disk and scanned. */
const RUNS = 60;

/** One writing of an answer. Few ids and requests, so that they meet often. */
interface Writing {
  readonly id: string;
  readonly request: string | undefined;
  readonly sidechain: boolean;
  readonly counts: Counts;
}

const count = fc.nat({ max: 1_000_000 });
const writing: fc.Arbitrary<Writing> = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  request: fc.constantFrom('r1', 'r2', 'r3', undefined),
  sidechain: fc.boolean(),
  counts: fc.record({ input: count, output: count, cache_read: count, cache_write: count }),
});

/** A place for a line: a file, and a number to order the file's lines by. */
const place = fc.record({ file: fc.nat({ max: 4 }), order: fc.nat() });

const corpus = fc.array(fc.record({ writing, places: fc.array(place, { minLength: 1, maxLength: 3 }) }), {
  maxLength: 40,
});

/**
 * The rules once more, in the plainest words, over the set of writings: for each message and field, the sum over its
 * requests of the greatest writing, or the greatest writing without request if that is greater; those of sidechains only
 * where the main thread has none.
 */
function totalsOf(writings: readonly Writing[]): Counts {
  const total = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  for (const id of new Set(writings.map((each) => each.id))) {
    const all = writings.filter((each) => each.id === id);
    const hasMain = all.some(({ sidechain }) => !sidechain);
    const own = all.filter(({ sidechain }) => sidechain !== hasMain);
    const main = own.filter((each) => !each.sidechain && each.request !== undefined);
    for (const field of COUNT_FIELDS) {
      const greatest = (some: readonly Writing[]): number => Math.max(0, ...some.map(({ counts }) => counts[field]));
      const requests = [...new Set(main.map(({ request }) => request))];
      const sum = requests.reduce((so, request) => so + greatest(main.filter((each) => each.request === request)), 0);
      total[field] += Math.max(sum, greatest(own.filter((each) => !main.includes(each))));
    }
  }
  return total;
}

describe('Claude Code lines in any files, number and order', () => {
  const folder = useFolder();

  it('add up to the same totals', async () => {
    await fc.assert(
      fc.asyncProperty(corpus, async (lines) => {
        const spread = lines.flatMap((line) => line.places.map((at) => ({ ...at, writing: line.writing })));
        await rm(folder(), { recursive: true, force: true });
        for (let file = 0; file <= 4; file += 1) {
          const own = spread.filter((line) => line.file === file).sort((left, right) => left.order - right.order);
          await writeLog(
            folder(),
            join(`project-${file}`, 'session.jsonl'),
            own.map(({ writing: each }) => lineOf(each)),
          );
        }
        const scan = await scanSource(claudeCode, [folder()]);
        expect(scan.totals).to.deep.equal(totalsOf(lines.map((line) => line.writing)));
      }),
      { numRuns: RUNS },
    );
  });
});

function lineOf({ id, request, sidechain, counts }: Writing): string {
  return assistantLine({
    id,
    sidechain,
    ...(request === undefined ? {} : { request }),
    input: counts.input,
    output: counts.output,
    cacheRead: counts.cache_read,
    cacheWrite: counts.cache_write,
  });
}
