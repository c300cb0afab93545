import { expect } from 'chai';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';

describe('the log of snapshots', () => {
  let world: RankingWorld;
  let operator: number;

  before(async () => {
    world = await openRankingWorld();
    operator = await world.enrol('log-keeper');
  });

  after(() => world.close());

  it('takes the same jti again only with the same content', async () => {
    const entry = world.entry(operator, { input: 1, output: 2, cache_read: 3 });
    const [stored] = await world.ranking.log.append([entry]);
    expect(stored?.kind).to.equal('stored');
    const kinds = async (again: typeof entry): Promise<string[]> =>
      (await world.ranking.log.append([again])).map(({ kind }) => kind);
    expect(await kinds(entry)).to.deep.equal(['repeated']);
    // One signature may stand over other counts: the body is not verified yet when the log is asked.
    expect(await kinds({ ...entry, payload: { ...entry.payload, output: 9 } })).to.deep.equal(['conflict']);
    expect(await kinds({ ...entry, payload: { ...entry.payload, platform: 'codex-cli' } })).to.deep.equal(['conflict']);
    expect(await kinds({ ...entry, signature: `${entry.signature.slice(0, -4)}AAAA` })).to.deep.equal(['conflict']);
  });
});
