import { expect } from 'chai';
import type { LogEntry, Ranking } from '../../../../engine/ranking/index.ts';
import { countsOf } from '../../../../engine/ranking/read/window-scores.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

describe('operators recomputed from the log', () => {
  const world = useFreshFixture(openRankingWorld);
  const operator = useFreshFixture(() => world().enrol('recomputed'));

  beforeEach(() => submit(1));

  async function append(output: number): Promise<[batch: string, entries: LogEntry[]]> {
    const entries = [world().entry(operator(), { input: 1, output, cache_read: 1 })];
    const [stored] = await world().ranking.log.append(entries);
    return [stored?.kind === 'stored' ? stored.batch : '', entries];
  }

  async function submit(output: number): Promise<void> {
    await world().ranking.processBatch(...(await append(output)));
  }

  async function countedOutput(): Promise<number> {
    const [summary] = await openStores(world().connection).operators.summaries([operator()]);
    return countsOf(summary!.totals, 0).output;
  }

  /** An engine whose first key lookups, during the read of the log, each apply another batch. */
  function overtaken(times: number): Ranking {
    let lookups = 0;
    const deviceKeys = async (kids: readonly string[]) => {
      if (lookups++ < times) await submit(10 + lookups);
      return world().deviceKeys(kids);
    };
    return world().another({ deviceKeys });
  }

  it('exclude refused entries with a valid signature', async () => {
    const broken = world().another({ deviceKeys: () => Promise.reject(new TypeError('a mistake')) });
    await broken.processBatchByEntry(...(await append(1_000)));
    expect(await world().ranking.repair.verify()).to.deep.equal([]);
    expect(await world().ranking.repair.recompute(operator())).to.equal(true);
    expect(await countedOutput()).to.equal(1);
  });

  it('are read again when a batch is applied meanwhile', async () => {
    const engine = overtaken(2);
    expect(await engine.repair.recompute(operator())).to.equal(true);
    expect(await countedOutput()).to.equal(12);
    expect(await world().ranking.repair.verify()).to.deep.equal([]);
  });

  it('count all entries when there are more than one command reads', async () => {
    // In the order of their names the greatest comes after a thousand.
    const entries = Array.from({ length: 1_001 }, (_, at) =>
      world().entry(operator(), { input: 1, output: 10 + at, cache_read: 1 }, { jti: `jti-${1_000 + at}` }),
    );
    await submitBatch(world().ranking, entries);
    expect(await world().ranking.repair.recompute(operator())).to.equal(true);
    expect(await countedOutput()).to.equal(1_010);
  });

  it('count entries without a verdict whose signatures are valid, and no others', async () => {
    const [, [entry]] = await append(20);
    await world().ranking.log.append([
      { ...entry!, jti: 'jti-zzz-of-a-forgery', payload: { ...entry!.payload, output: 90 } },
    ]);
    expect(await world().ranking.repair.recompute(operator())).to.equal(true);
    expect(await countedOutput()).to.equal(20);
  });

  it('do not count as damaged when a batch is applied between two reads', async () => {
    expect(await overtaken(4).repair.verify()).to.deep.equal([]);
  });

  it('do not block the hour when a rollup is damaged', async () => {
    const other = await world().enrol('with-a-damage');
    const { rollups } = openStores(world().connection);
    await rollups.insert(new Map([[other, { until: 0, facts: [], older: [] }]]));
    await world()
      .connection.collection('rollups')
      .updateOne({}, { $set: { checksum: 'damaged' } });
    const failure = await world().ranking.repair.recomputeAll([operator(), other]).catch(String);
    expect(failure).to.include(`the rollup of operator ${other} is damaged`);
    expect(await openStores(world().connection).dirtySets.anyPrepared()).to.equal(false);
  });
});
