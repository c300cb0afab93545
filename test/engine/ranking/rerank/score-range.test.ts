import { expect } from 'chai';
import { WINDOWS } from '../../../../engine/contract/index.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

/** A range of four reads, of which two are in progress at a time. */
const OPERATORS = 6_500;
const COUNTS = { input: 2 ** 20, cache_read: 2 ** 24, cache_write: 0 };

describe('a scored range of several reads', () => {
  const world = useFixture(openRankingWorld);

  before(async () => {
    await world().ranking.operators.import(
      Array.from({ length: OPERATORS }, (_, index) =>
        importedOperator(`imported-${index}`, world().now, { ...COUNTS, output: COUNTS.input + index }),
      ),
    );
    await world().ranking.rebuildBoard();
  });

  for (const [methodology, rules] of [
    [2, 'without'],
    [3, 'with'],
  ] as const) {
    it(`has the Yield of each operator, ${rules} rules`, async () => {
      const { rerank } = world().ranking;
      const started = await rerank.start({ kind: 'activate', methodology });
      if (started.kind !== 'started') throw new Error(started.kind);
      expect(await rerank.scoreRange(started.run, 0)).to.equal('scored');
      const part = await openStores(world().connection).rerankParts.read(started.run, 0);
      const column = Array.from(part!.yields).filter((_, at) => WINDOWS[at % WINDOWS.length] === 'all_time');
      const expected = Array.from({ length: OPERATORS }, (_, index) => (COUNTS.input + index) / 2 ** 16);
      expect(column).to.deep.equal([Number.NaN, ...expected]);
      expect(await rerank.finish(started.run)).to.equal('switched');
    });
  }
});
