import { expect } from 'chai';
import { HOUR_MS } from '../../../config/units.ts';
import { hashOf } from '../../../engine/accounts/index.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { openAccounts } from './open-accounts.ts';

const ADDRESS = 'leaver@example.com';

describe('erasures of accounts', () => {
  const under = useFixture(openAccounts);

  const openErasures = async () => (await under().accounts.erasures.open()).map(({ operator }) => operator);

  it('delete links to the addresses, tickets, ways to sign in that were to be added, and the audit log', async () => {
    const { accounts } = under();
    const { subject } = await accounts.create({ operator: 1 });
    const mailed = { provider: 'email_magic_link', subject: ADDRESS, label: ADDRESS, verifiedEmail: ADDRESS } as const;
    await accounts.identities.link(1, mailed, null);
    const request = { data: {}, lifetimeMs: HOUR_MS };
    const secrets = [
      ['link', await accounts.oneTime.issue({ kind: 'link', ...request, about: hashOf(ADDRESS) })],
      ['ticket', await accounts.oneTime.issue({ kind: 'ticket', ...request, about: hashOf(subject) })],
      ['upstream', await accounts.oneTime.issue({ kind: 'upstream', ...request, data: { linkTo: 1 } })],
    ] as const;
    const others = await accounts.oneTime.issue({ kind: 'upstream', ...request, data: { linkTo: 2 } });
    await accounts.erasures.begin(1);
    await accounts.erasures.erase(1);
    for (const [kind, secret] of secrets) expect(await accounts.oneTime.peek(kind, secret), kind).to.equal(null);
    expect(await accounts.oneTime.peek('upstream', others)).to.include({ state: 'fresh' });
    expect(await accounts.audit.list(1, 10)).to.deep.equal([]);
  });

  it('are repeated for an hour, and until they are finished', async () => {
    const { accounts } = under();
    for (const operator of [3, 4]) {
      await accounts.create({ operator });
      await accounts.erasures.begin(operator);
    }
    await accounts.erasures.finish(3);
    expect(await openErasures()).to.include.members([3, 4]);
    under().now += HOUR_MS + 1;
    expect(await openErasures())
      .to.include(4)
      .and.not.include(3);
  });
});
