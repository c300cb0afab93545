import { expect } from 'chai';
import { HOUR_MS } from '../../../config/units.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { openAccounts } from './open-accounts.ts';

describe('one-time secrets', () => {
  const under = useFixture(openAccounts);

  const REQUEST = { kind: 'link', data: {}, lifetimeMs: 60_000 } as const;

  it('are issued within a quota across concurrent processes', async () => {
    const processes = [under().accounts, await under().another(), await under().another()];
    const quota = { requester: 'somebody', max: 5, periodMs: HOUR_MS };
    const issue = () =>
      Promise.all(
        Array.from({ length: 30 }, async (_, index) => processes[index % 3]?.oneTime.issueWithin(quota, REQUEST)),
      );
    const issued = (await issue()).filter((secret) => typeof secret === 'string');
    expect(issued).to.have.length(5);
    expect(new Set(issued).size).to.equal(5);
    expect(await under().accounts.oneTime.issueWithin({ ...quota, requester: 'somebody-else' }, REQUEST)).to.be.a(
      'string',
    );
    under().now += HOUR_MS;
    expect((await issue()).filter((secret) => typeof secret === 'string')).to.have.length(5);
  });

  it('are consumed once, in time, and only as what they were issued for', async () => {
    const { oneTime } = under().accounts;
    const secret = await oneTime.issue({ ...REQUEST, data: { next: '/account' } });
    expect(await oneTime.peek('ticket', secret)).to.equal(null);
    expect(await oneTime.consume('ticket', secret)).to.equal(null);
    expect(await oneTime.consume('link', secret)).to.deep.equal({ next: '/account' });
    expect(await oneTime.consume('link', secret)).to.equal(null);
    expect(await oneTime.peek('link', secret)).to.include({ state: 'used' });
    const late = await oneTime.issue(REQUEST);
    under().now += REQUEST.lifetimeMs;
    expect(await oneTime.consume('link', late)).to.equal(null);
    expect(await oneTime.peek('link', late)).to.include({ state: 'late' });
  });

  it('still count towards the quota after use', async () => {
    const quota = { requester: 'user', max: 1, periodMs: HOUR_MS };
    const { oneTime } = under().accounts;
    const secret = (await oneTime.issueWithin(quota, REQUEST)) ?? '';
    expect(await oneTime.consume('link', secret)).to.deep.equal({});
    expect(await oneTime.issueWithin(quota, REQUEST)).to.equal(null);
  });
});
