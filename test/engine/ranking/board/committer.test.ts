import { expect } from 'chai';
import { HOUR_MS } from '../../../../config/units.ts';
import type { Committer, Ranking } from '../../../../engine/ranking/index.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

const LEASE_MS = 5_000;

describe('a committer', () => {
  const world = useFreshFixture(openRankingWorld);
  const versions = useFreshFixture<number[]>(() => []);
  const errors = useFreshFixture<unknown[]>(() => []);

  function committerOf(engine: Ranking): Committer {
    return engine.createCommitter(
      (version) => versions().push(version),
      (error) => errors().push(error),
    );
  }

  async function change(output: number): Promise<void> {
    const operator = await world().enrol(`operator-of-${output}`);
    const entry = world().entry(operator, { input: 1, output, cache_read: 1 });
    await submitBatch(world().ranking, [entry]);
  }

  const version = async () => (await openStores(world().connection).board.read())!.version;

  it('reports the versions that it publishes, and leaves the board to another that holds the lease', async () => {
    const [first, second] = [committerOf(world().ranking), committerOf(world().another())];
    await change(1);
    await first.tick();
    expect(versions()).to.deep.equal([await version()]);
    await first.tick();
    expect(versions(), 'with nothing to publish').to.have.length(1);
    world().now += LEASE_MS;
    await change(2);
    await second.tick();
    expect(versions(), 'while another holds the lease').to.have.length(1);
    world().now += 1;
    await second.tick();
    expect(versions().slice(1)).to.deep.equal([await version()]);
    await first.close();
    await second.close();
  });

  it('leaves the board to another that acquired the lease since', async () => {
    const [first, second] = [committerOf(world().ranking), committerOf(world().another())];
    await first.tick();
    world().now += LEASE_MS + 1;
    await second.tick();
    await change(1);
    await first.tick();
    expect(versions(), 'versions published by the one whose lease expired').to.deep.equal([]);
    await second.close();
    await first.tick();
    expect(versions()).to.have.length(1);
    await change(2);
    await second.tick();
    expect(versions(), 'versions published after the other released its lease').to.have.length(1);
    await first.close();
  });

  it('renews its lease when its clock is set back', async () => {
    const [first, second] = [committerOf(world().ranking), committerOf(world().another())];
    await first.tick();
    world().now -= HOUR_MS;
    await first.tick();
    await change(1);
    await second.tick();
    expect(versions(), 'versions published by the other').to.deep.equal([]);
    await first.close();
    await second.close();
  });

  it('keeps the lease while it ticks', async () => {
    const [first, second] = [committerOf(world().ranking), committerOf(world().another())];
    for (let tick = 0; tick < 3; tick++) {
      await first.tick();
      world().now += 0.4 * LEASE_MS;
    }
    await change(1);
    await second.tick();
    expect(versions(), 'versions published by the other').to.deep.equal([]);
    await first.tick();
    expect(versions()).to.have.length(1);
    await first.close();
    await second.close();
  });

  it('reports a compaction that failed, and begins another', async () => {
    let failures = 0;
    const engine = world().another({
      failpoint: (name) => {
        if (name === 'compact.state_read' && failures++ === 0) throw new Error('a part that cannot be read');
      },
    });
    const committer = committerOf(engine);
    const keptBoards = async () => (await openStores(world().connection).board.read())!.history.length;
    world().now += HOUR_MS;
    await committer.tick();
    await committer.close();
    expect(errors().map(String)).to.deep.equal(['Error: a part that cannot be read']);
    expect(await keptBoards()).to.equal(1);
    await committer.tick();
    await committer.close();
    expect(errors()).to.have.length(1);
    expect(await keptBoards()).to.equal(2);
  });
});
