import { expect } from 'chai';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';

describe('the root of the board', () => {
  let world: RankingWorld;

  before(async () => {
    world = await openRankingWorld();
  });

  after(() => world.close());

  it('advances from the root that was read, once', async () => {
    const { board } = openStores(world.connection);
    const manifest = (await board.read())!;
    const [first, second] = await Promise.all([board.advance(manifest, {}), board.advance(manifest, {})]);
    expect([first, second].filter((next) => next !== null)).to.have.length(1);
    expect((await board.read())?.version).to.equal(manifest.version + 1);
  });

  it('is created once', async () => {
    const { board } = openStores(world.connection);
    const manifest = (await board.read())!;
    expect(await board.create({ ...manifest, version: 99 })).to.equal(false);
    expect(await board.read()).to.deep.equal(manifest);
  });

  it('does not advance from a root of the same version that is another one', async () => {
    // A store that lost its last writes gives versions twice.
    const { board } = openStores(world.connection);
    const manifest = (await board.read())!;
    expect(await board.advance({ ...manifest, generation: 'of-a-lost-write' }, { hour: manifest.hour + 1 })).to.equal(
      null,
    );
    expect(await board.read()).to.deep.equal(manifest);
  });
});
