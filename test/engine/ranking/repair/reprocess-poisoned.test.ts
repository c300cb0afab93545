import { expect } from 'chai';
import { committerOf } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { namedDeviceKey } from '../../../support/signing.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

describe('a snapshot that could not be processed', () => {
  const world = useFreshFixture(openRankingWorld);

  it('is reported, refused without effect on others, and counts after reprocessing', async () => {
    const [unlucky, other] = [await world().enrol('unlucky-one'), await world().enrol('other-one')];
    const entries = [
      world().entry(unlucky, { input: 10, output: 20, cache_read: 30 }),
      world().entry(other, { input: 10, output: 10, cache_read: 10 }),
    ];
    const reported: unknown[] = [];
    const broken = world().another({
      deviceKeys: async () => {
        throw new TypeError('a mistake of this release');
      },
      report: { poisoned: (entry) => reported.push(entry) },
    });
    const [stored] = await world().ranking.log.append(entries);
    if (stored?.kind !== 'stored') throw new Error('not stored');
    const { verdicts } = await broken.processBatchByEntry(stored.batch, entries);
    expect(verdicts.map((verdict) => verdict.accepted)).to.deep.equal([false, false]);
    expect(reported).to.have.length(2);

    const reprocessed = await world().ranking.reprocessPoisoned();
    expect(reprocessed.map(({ kind }) => kind)).to.deep.equal(['processed', 'processed']);
    const found = await world().ranking.log.findVerdict(unlucky, entries[0]!.jti);
    expect(found?.verdict).to.deep.equal({ operator: unlucky, jti: entries[0]!.jti, accepted: true, changed: true });
    expect(found?.totals).to.include({ input: 10, output: 20, cache_read: 30 });
    expect(await world().ranking.reprocessPoisoned()).to.deep.equal([]);
    const committer = committerOf(world().ranking);
    await committer.tick();
    await committer.close();
    const reader = await world().ranking.openBoardReader(() => undefined);
    expect(reader.view().totals.all_time).to.equal(2);
    await reader.close();
  });

  it('stays refused while it still cannot be processed, and others are processed again', async () => {
    const operators = [await world().enrol('still-unlucky'), await world().enrol('lucky-again')];
    const entries = operators.map((operator) => world().entry(operator, { input: 1, output: 1, cache_read: 1 }));
    const broken = world().another({ deviceKeys: () => Promise.reject(new TypeError('a mistake')) });
    const [stored] = await world().ranking.log.append(entries);
    await broken.processBatchByEntry(stored?.kind === 'stored' ? stored.batch : '', entries);
    const { kid } = namedDeviceKey('still-unlucky');
    const mended = world().another({
      deviceKeys: (kids) => (kids.includes(kid) ? Promise.reject(new TypeError('another')) : world().deviceKeys(kids)),
    });
    const reprocessed = await mended.reprocessPoisoned();
    expect(reprocessed.map(({ kind }) => kind).toSorted()).to.deep.equal(['failed', 'processed']);
    expect((await world().ranking.reprocessPoisoned()).map(({ kind }) => kind)).to.deep.equal(['processed']);
  });

  it('of an erased operator does not prevent reprocessing of others', async () => {
    const [gone, other] = [await world().enrol('gone-one'), await world().enrol('other-one')];
    const entries = [gone, other].map((operator) => world().entry(operator, { input: 1, output: 1, cache_read: 1 }));
    const broken = world().another({ deviceKeys: () => Promise.reject(new TypeError('a mistake')) });
    const [stored] = await world().ranking.log.append(entries);
    await broken.processBatchByEntry(stored?.kind === 'stored' ? stored.batch : '', entries);
    await world().ranking.operators.erase(gone);
    const reprocessed = await world().ranking.reprocessPoisoned();
    expect(reprocessed.map((one) => (one.kind === 'processed' ? one.verdict.operator : one.kind))).to.deep.equal([
      other,
    ]);
  });
});
