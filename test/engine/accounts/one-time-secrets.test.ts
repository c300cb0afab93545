import { expect } from 'chai';
import { type AccountsUnderTest, openAccounts } from './open-accounts.ts';

const HOUR_MS = 3_600_000;

describe('one-time secrets', () => {
  let under: AccountsUnderTest;

  before(async () => {
    under = await openAccounts();
  });

  after(() => under.close());

  const REQUEST = { kind: 'link', data: {}, lifetimeMs: 60_000 } as const;

  it('are issued within a share, however many processes issue them at once', async () => {
    const processes = [under.accounts, await under.another(), await under.another()];
    const share = { of: 'somebody', most: 5, periodMs: HOUR_MS };
    const issue = () =>
      Promise.all(
        Array.from({ length: 30 }, async (_, index) => processes[index % 3]?.oneTime.issueWithin(share, REQUEST)),
      );
    const issued = (await issue()).filter((secret) => typeof secret === 'string');
    expect(issued).to.have.length(5);
    expect(new Set(issued).size).to.equal(5);
    expect(await under.accounts.oneTime.issueWithin({ ...share, of: 'somebody-else' }, REQUEST)).to.be.a('string');
    under.now += HOUR_MS;
    expect((await issue()).filter((secret) => typeof secret === 'string')).to.have.length(5);
  });

  it('keep their place in the share after they were used', async () => {
    const share = { of: 'user', most: 1, periodMs: HOUR_MS };
    const { oneTime } = under.accounts;
    const secret = (await oneTime.issueWithin(share, REQUEST)) ?? '';
    expect(await oneTime.consume('link', secret)).to.deep.equal({});
    expect(await oneTime.issueWithin(share, REQUEST)).to.equal(null);
  });
});
