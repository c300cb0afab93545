import { expect } from 'chai';
import { WINDOWS } from '../../../../engine/contract/windows.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const METHODOLOGY = 7;

const held = (operator: number, ...yields: number[]) => new Map([[operator, Float64Array.from(yields)]]);

describe('held rows', () => {
  const world = useFixture(openRankingWorld);
  const rows = useFixture(() => openStores(world().connection).heldRows);

  const read = (...operators: number[]) => rows().of(METHODOLOGY, { $in: operators });
  const yieldsOf = async (...operators: number[]) => (await read(...operators)).map(({ yields }) => yields);

  it('report whether one came, changed or went', async () => {
    expect(await rows().replace(METHODOLOGY, [], held(1, 5, Number.NaN))).to.equal(true);
    expect(await yieldsOf(1)).to.deep.equal([[5, null]]);
    expect(await rows().replace(METHODOLOGY, await read(1), held(1, 5, Number.NaN))).to.equal(false);
    expect(await rows().replace(METHODOLOGY, await read(1), held(1, 6, 5))).to.equal(true);
    expect(await rows().replace(METHODOLOGY, await read(1, 2), new Map())).to.equal(true);
    expect(await yieldsOf(1, 2)).to.deep.equal([]);
    expect(await rows().replace(METHODOLOGY, await read(1, 2), new Map())).to.equal(false);
  });

  it('are not removed by a writer that read the record before another one wrote them', async () => {
    await rows().replace(METHODOLOGY, [], held(3, 5));
    const before = await read(3, 4);
    await rows().replace(METHODOLOGY, await read(3, 4), held(3, 5));
    await rows().replace(METHODOLOGY, [], held(4, 5));
    await rows().replace(METHODOLOGY, before, new Map());
    expect(await yieldsOf(3, 4)).to.deep.equal([[5], [5]]);
  });

  it('that a slow writer left behind are in no list and no count', async () => {
    const { ranking } = world();
    const operator = await world().enrol('settled-row');
    const reader = await ranking.openBoardReader((error) => expect.fail(String(error)));
    const { methodology } = reader.view();
    await rows().replace(methodology, [], held(operator, ...WINDOWS.map(() => 5)));
    expect(await reader.held('all_time', 9)).to.deep.equal({ total: 0, rows: [] });
    await reader.close();
  });
});
