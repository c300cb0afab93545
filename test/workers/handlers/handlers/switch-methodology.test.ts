import { expect } from 'chai';
import { switchMethodology } from '../../../../workers/handlers/handlers.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('the last job of a re-rank', () => {
  const world = useFixture(openRankingWorld);

  it('fails while a range is not scored, so that the run gets new jobs, and then finishes the run', async () => {
    await world().enrol('scored-one');
    await world().ranking.rebuildBoard();
    const started = await world().ranking.rerank.start({ kind: 'preview', methodology: 2 });
    if (started.kind !== 'started') throw new Error(started.kind);
    const { run } = started;
    const failure = await switchMethodology(world(), { run }).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', `ranges of run ${run} are not scored`);
    await world().ranking.rerank.scoreRange(run, 0);
    expect(await switchMethodology(world(), { run })).to.equal('previewed');
    expect(await switchMethodology(world(), { run })).to.equal('gone');
  });
});
