import { brotliCompressSync } from 'node:zlib';
import { expect } from 'chai';
import { EXAMPLE, EXAMPLE_PRICE } from '../../../../api/site/pages/example.ts';
import { PRICE_TABLE, PRICES_AS_OF } from '../../../../cli/src/views/price-table.ts';
import { CLASS_TIERS } from '../../../../engine/contract/tiers.ts';
import { openJudgedField } from '../../../support/judged-field.ts';
import { openSiteFixture } from '../../../support/site-field.ts';
import { type TestApi } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('site: the board’s page', () => {
  const test = useFixture(() => openSiteFixture(2, 12));

  it('begins with an example whose price is that of the tool’s table, and with one command', async () => {
    const { input, output, cache_read } = EXAMPLE;
    expect(EXAMPLE_PRICE.at).to.equal(Date.parse(PRICES_AS_OF));
    expect(PRICE_TABLE['claude-opus-5-5']).to.include.members([EXAMPLE_PRICE.input, EXAMPLE_PRICE.cache_read]);
    const { text } = await test().get('/', { accept: 'text/markdown' });
    const board = text.indexOf('| Rank');
    for (const said of [`**input**: ${input.toLocaleString('en-US')}`, ': 3,490', '$1.72', '$0.09', '--dry-run']) {
      expect(text.indexOf(said), said).to.be.within(1, board);
    }
    expect((cache_read * output) / input ** 2).to.be.closeTo(3490, 1);
  });

  it('parts the tiers, with their bounds, in their order', async () => {
    const { text } = await test().get('/?limit=100', { accept: 'text/markdown' });
    const bands = Array.from(
      text.matchAll(/^\| \[([A-Z+]+)\]\([^)]*#tiers\) Yield (from|below) /gm),
      ([, name]) => name,
    );
    const names = CLASS_TIERS.map(({ name }) => name).toReversed();
    expect(bands.length).to.be.above(2);
    expect(bands).to.deep.equal(names.filter((name) => bands.includes(name)));
    expect(text).to.include('Yield from 10,000 to 100,000');
  });

  it('has as many rows as each request asks for, of one version', async () => {
    for (const limit of [10, 12, 10]) {
      const { text } = await test().get(`/?limit=${limit}`, { accept: 'text/markdown' });
      expect(text).to.include(`**${limit}** of **`);
    }
  });

  it('is small, its script and style included', async () => {
    const { text } = await test().get('/', { accept: 'text/html' });
    const files = ['/', ...Array.from(text.matchAll(/\/assets\/[^"]+/g), ([path]) => path)];
    const sizes = files.map(async (path) => {
      const response = await fetch(`${test().origin}${path}`, {
        headers: { accept: 'text/html, */*', 'accept-encoding': 'identity' },
      });
      return brotliCompressSync(Buffer.from(await response.arrayBuffer())).length;
    });
    expect((await Promise.all(sizes)).reduce((sum, size) => sum + size)).to.be.below(25_000);
  });
});

const shownOn = async (test: TestApi) => (await test.get('/', { accept: 'text/html' })).text;

describe('site: rows that are not settled, on the board’s page', () => {
  it('have the names of now, and go with an erasure', async () => {
    await using test = await openJudgedField();
    const { operators } = test.ranking;
    expect(await shownOn(test)).to.include('/operators/held-row"');
    const { operator } = (await operators.find('held-row'))!;
    await operators.rename(operator, 'other-row');
    await test.publish();
    expect(await shownOn(test))
      .to.include('/operators/other-row"')
      .and.not.include('held-row');
    await operators.erase(operator);
    await test.publish();
    expect(await shownOn(test)).to.not.match(/other-row|is not settled yet/);
  });

  it('are there again as soon as the store answers, on the same board', async () => {
    let isAway = true;
    await using test = await openJudgedField({
      context: ({ board }) => ({
        board: {
          ...board,
          held: async (...asked) => (isAway ? Promise.reject(new Error('away')) : board.held(...asked)),
        },
      }),
    });
    expect(await shownOn(test))
      .to.include('plain-row')
      .and.not.include('held-row');
    isAway = false;
    expect(await shownOn(test)).to.include('held-row');
  });
});
