import { expect } from 'chai';
import { WINDOWS } from '../../../../engine/contract/index.ts';
import { changeOf, scoreOperators } from '../../../../engine/ranking/board/score-operators.ts';
import { makeSegment, YieldTable } from '../../../../engine/ranking/core/board/index.ts';
import { methodology1 } from '../../../../engine/ranking/methodologies/methodology-1.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { openRecorded } from '../../../support/sent-commands.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const OPERATORS = 1_234;
const UNASSIGNED = 9_999;

describe('scoreOperators', () => {
  const world = useFixture(openRankingWorld);
  let first: number;

  before(async () => {
    const counts = { input: 1_000, output: 5_000, cache_read: 90_000, cache_write: 800 };
    first = await world().ranking.operators.import(
      Array.from({ length: OPERATORS }, (_, index) =>
        importedOperator(`scored-${index}`, world().now, { ...counts, output: counts.output + index }, 'claude-code'),
      ),
    );
  });

  it('has the same result for records read in bulk as for single records', async () => {
    const stores = openStores(world().connection);
    const erased = first + 700;
    await world().ranking.operators.erase(erased);
    const unlisted = first + 701;
    await world().ranking.operators.amend(unlisted, { listed: false });
    const numbers = new Set([UNASSIGNED, ...Array.from({ length: OPERATORS }, (_, index) => first + index)]);
    const table = new YieldTable(new Float64Array(0));
    const { changes } = await scoreOperators(stores, table, methodology1, numbers);
    expect(new Set(changes.map(({ operator }) => operator)), 'each operator once').to.deep.equal(numbers);
    expect(changes).to.have.length(numbers.size);

    const summaries = await stores.operators.summaries([...numbers]);
    const expected = makeSegment(summaries.map((summary) => changeOf(summary, table, methodology1)));
    expect(makeSegment(changes)).to.deep.equal(expected);
    const ranked = changes.filter(({ after }) => !Number.isNaN(after[0]));
    expect(ranked.length, 'all but the erased, the unlisted and the unassigned').to.equal(OPERATORS - 2);
    const unranked = changes.filter(({ operator }) => [erased, unlisted, UNASSIGNED].includes(operator));
    for (const { after } of unranked)
      expect(Array.from(after), 'in every window').to.deep.equal(WINDOWS.map(() => Number.NaN));
  });

  it('reads which rows are held before the records: it removes none that another has stored by a later record', async () => {
    const { connection, sent } = await openRecorded(world().database);
    await scoreOperators(openStores(connection), new YieldTable(new Float64Array(0)), methodology1, new Set([first]));
    await connection.close();
    const records = sent.findIndex((command) => command.endsWith(' operators'));
    expect(records).to.be.at.least(0);
    expect(sent.slice(0, records)).to.include('done find held_rows');
  });
});
