import { expect } from 'chai';
import { createOperatorMaker } from '../../../../api/members/operator-maker.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('operators for people who sign in for the first time', () => {
  const world = useFixture(openRankingWorld);

  before(() => world().enrol('taken-100'));

  it('get the first generated codename that is free', async () => {
    const names = ['taken-100', 'taken-100', 'free-100'];
    const maker = createOperatorMaker(world().ranking.operators, () => names.shift() ?? 'unused-100');
    const operator = await maker.make();
    expect(await world().ranking.operators.byNumber(operator)).to.include({ codename: 'free-100' });
    await maker.discard(operator);
    expect(await world().ranking.operators.byNumber(operator)).to.equal(null);
  });

  it('are not made when no generated codename is free', async () => {
    const maker = createOperatorMaker(world().ranking.operators, () => 'taken-100');
    expect(await maker.make().catch(String)).to.include('20 generated codenames were taken');
  });
});
