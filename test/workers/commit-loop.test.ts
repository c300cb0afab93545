import { once } from 'node:events';
import { expect } from 'chai';
import { runCommitLoop } from '../../workers/commit-loop.ts';
import { committerOf, submitBatch } from '../support/open-engine.ts';
import { openRankingWorld } from '../support/ranking-world.ts';

describe('the commit loop', () => {
  it('reports a commit that failed, and goes on with the next', async () => {
    const world = await openRankingWorld();
    await submitBatch(world.ranking, [world.entry(await world.enrol('after-the-failure'), { input: 1, output: 1 })]);
    const committer = committerOf(world.ranking);
    const errors: unknown[] = [];
    const committed = new EventTarget();
    let ticks = 0;
    const tick = async (): Promise<boolean> => {
      ticks += 1;
      if (ticks === 1) throw new Error('no primary');
      const more = await committer.tick();
      committed.dispatchEvent(new Event('tick'));
      return more;
    };
    const ticked = once(committed, 'tick');
    const loop = runCommitLoop({ ...committer, tick }, (error) => errors.push(error));
    await ticked;
    await loop.close();
    expect(errors.map(String)).to.deep.equal(['Error: no primary']);
    const reader = await world.ranking.openBoardReader(() => undefined);
    expect(reader.view().topEntries.all_time.map(({ codename }) => codename)).to.deep.equal(['after-the-failure']);
    await reader.close();
    await world.close();
  });
});
