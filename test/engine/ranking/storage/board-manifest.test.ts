import { expect } from 'chai';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('the board manifest', () => {
  const world = useFixture(openRankingWorld);

  it('advances once from the manifest that was read', async () => {
    const { board } = openStores(world().connection);
    const manifest = (await board.read())!;
    const [first, second] = await Promise.all([board.advance(manifest, {}), board.advance(manifest, {})]);
    expect([first, second].filter((next) => next !== null)).to.have.length(1);
    expect((await board.read())?.version).to.equal(manifest.version + 1);
  });

  it('is created once', async () => {
    const { board } = openStores(world().connection);
    const manifest = (await board.read())!;
    expect(await board.create({ ...manifest, version: 99 })).to.equal(false);
    expect(await board.read()).to.deep.equal(manifest);
  });

  it('does not advance from another manifest of the same version', async () => {
    // A store that lost its last writes assigns versions twice.
    const { board } = openStores(world().connection);
    const manifest = (await board.read())!;
    expect(await board.advance({ ...manifest, generation: 'of-a-lost-write' }, { hour: manifest.hour + 1 })).to.equal(
      null,
    );
    expect(await board.read()).to.deep.equal(manifest);
  });
});
