import { expect } from 'chai';
import { createSiteMaps } from '../../../../api/site/agents/site-maps.ts';
import { MINUTE_MS } from '../../../../config/units.ts';
import { TEST_SETTINGS } from '../../../support/api-context.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { openTestApi } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const PART = 10_000;

/** Everybody up to a number, without a store: what a large field costs is not the question here. */
function fieldOf(highest: number | null, asked: string[] = []) {
  return createSiteMaps(
    {
      highestNumber: async () => highest,
      async rankedNames(from, until) {
        asked.push(`${from}-${until}`);
        return [`first-of-${from}`];
      },
    },
    TEST_SETTINGS,
    () => 0,
  );
}

describe('site: the sitemap of a large field', () => {
  for (const [highest, parts] of [
    [null, 0],
    [0, 1],
    [PART - 1, 1],
    [PART, 2],
    [1_000_000, 101],
  ] as const) {
    it(`has ${parts} parts when the highest number is ${highest}`, async () => {
      const maps = fieldOf(highest);
      const index = (await maps.index()).identity.toString();
      expect(index.match(/sitemap-operators-\d+\.xml/g) ?? []).to.have.length(parts);
      expect(await maps.operators(parts)).to.equal(null);
      if (parts === 0) return;
      const last = await maps.operators(parts - 1);
      expect(last?.identity.toString()).to.include(`/operators/first-of-${(parts - 1) * PART}</loc>`);
    });
  }

  it('is read once for many who ask at once', async () => {
    const asked: string[] = [];
    const maps = fieldOf(PART * 3, asked);
    await Promise.all([1, 1, 1, 2].map((part) => maps.operators(part)));
    expect(asked).to.have.members(['10000-20000', '20000-30000']);
  });

  it('is read again after a board that could not be read', async () => {
    let isAway = true;
    const highestNumber = async () => (isAway ? Promise.reject(new Error('away')) : 0);
    const rankedNames = async () => (isAway ? Promise.reject(new Error('away')) : ['found-one']);
    const maps = createSiteMaps({ highestNumber, rankedNames }, TEST_SETTINGS, () => 0);
    const outcomes = await Promise.allSettled([maps.index(), maps.operators(0)]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    isAway = false;
    expect((await maps.index()).identity.toString()).to.include('/sitemap-operators-0.xml');
    expect((await maps.operators(0))?.identity.toString()).to.include('/operators/found-one<');
  });
});

describe('site: the sitemap over the store', () => {
  const test = useFixture(openTestApi);

  it('follows the board: names as they are now, nobody unranked, nobody erased', async () => {
    const counts = { input: 10, output: 20, cache_read: 30, cache_write: 0 };
    await test().ranking.operators.import(
      Array.from({ length: 2_300 }, (_, index) => {
        const own = { ...counts, input: index % 10 === 0 ? 0 : 10 };
        return importedOperator(`of-field-${index}`, test().now - 3_600_000, own, 'claude-code');
      }),
    );
    await test().ranking.rebuildBoard();
    await test().publish();
    const late = await test().operator('late-one');
    await test().post('/api/v1/snapshots', late.token, test().snapshot(late, counts));
    const renamed = await test().ranking.operators.find('of-field-1');
    await test().ranking.operators.rename(renamed!.operator, 'other-name');
    const erased = await test().ranking.operators.find('of-field-2');
    await test().ranking.operators.erase(erased!.operator);
    await test().publish();
    const { text } = await test().get('/sitemap-operators-0.xml');
    const names = Array.from(text.matchAll(/\/operators\/([^<]+)</g), ([, name]) => name);
    expect(new Set(names).size).to.equal(names.length);
    // 2,300 without every tenth and the erased one, and the one who came on top of the base.
    expect(names).to.have.length(2_300 - 230 - 1 + 1);
    expect(names).to.include.members(['late-one', 'other-name', 'of-field-2299']);
    expect(names).to.not.include.members(['of-field-1', 'of-field-2', 'of-field-10']);
    await test().ranking.operators.erase(late.operator);
    await test().publish();
    test().now += 10 * MINUTE_MS + 1;
    expect((await test().get('/sitemap-operators-0.xml')).text, 'ten minutes later').to.not.include('late-one');
  });
});
