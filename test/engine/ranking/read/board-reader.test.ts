import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { openMongo } from '../../../../engine/mongo/index.ts';
import { openFaultProxy } from '../../../support/fault-proxy.ts';
import { committerOf, submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('a board reader', () => {
  const world = useFixture(openRankingWorld);

  it('shows after a hint what was published before it, also when a read was in progress', async () => {
    const { mongoUrl } = world().database;
    const proxy = await openFaultProxy(Number(new URL(mongoUrl).port));
    const connection = await openMongo(mongoUrl.replace(/:\d+/, `:${proxy.port}`));
    const reader = await world().another({ connection }).openBoardReader(rethrow);
    try {
      const { version } = reader.view();
      const operator = await world().enrol('hinted-one');
      const released = new EventEmitter();
      proxy.set({ kind: 'late', until: once(released, 'now').then(() => undefined) });
      const inProgress = reader.refresh();
      await submitBatch(world().ranking, [world().entry(operator, { input: 1, output: 1, cache_read: 1 })]);
      while (await committerOf(world().ranking).tick());
      const hinted = reader.refresh();
      proxy.set({ kind: 'clear' });
      released.emit('now');
      await inProgress;
      await hinted;
      expect(reader.view().version).to.equal(version + 1);
    } finally {
      await reader.close();
      await connection.close();
      await proxy.close();
    }
  });
});
