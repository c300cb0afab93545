import { expect } from 'chai';
import { DAY_MS } from '../../../../config/units.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openAccounts } from '../open-accounts.ts';

describe('seasons of several leagues', () => {
  const under = useFixture(openAccounts);

  it('are finished although one of them fails', async () => {
    const { leagues } = under().accounts;
    const from = Math.floor(under().now / DAY_MS) + 1;
    const made: string[] = [];
    for (const owner of [1, 2, 3]) {
      const league = await leagues.make(owner, { name: 'The team', visibility: 'private' });
      if ('refused' in league) throw new Error(league.refused);
      await leagues.change(owner, league.slug, { season: { from, days: 7 } });
      made.push(league._id);
    }
    under().now += 8 * DAY_MS;
    const asked: string[] = [];
    const finished = leagues.finishSeasons(async ({ league }) => {
      asked.push(league);
      if (asked.length === 1) throw new Error('its states cannot be read');
      return { methodology: 4, rows: [] };
    });
    await finished.then(
      () => expect.fail('the failure is not reported'),
      (error: unknown) => expect(error).to.be.instanceOf(AggregateError),
    );
    expect(asked).to.have.members(made);
    const finals = await Promise.all(made.map((league) => leagues.season(league, from)));
    expect(finals.filter((season) => season?.board !== null)).to.have.length(2);
  });
});
