import { expect } from 'chai';
import type { SignedInPerson } from '../../../engine/accounts/index.ts';
import { type AccountsUnderTest, openAccounts } from './open-accounts.ts';

describe('identities', () => {
  let opened: AccountsUnderTest;
  let made = 0;
  let discarded = 0;

  const maker = {
    make: async () => (made += 1),
    discard: async () => {
      discarded += 1;
    },
  };

  before(async () => {
    opened = await openAccounts();
  });

  after(() => opened.close());

  it('of 50 first sign-ins of one person at the same moment, in two processes, are those of one operator', async () => {
    const other = await opened.another();
    const github: SignedInPerson = {
      provider: 'github',
      subject: '5050',
      label: 'crowd',
      verifiedEmail: 'Crowd@example.com',
    };
    const twitter: SignedInPerson = {
      provider: 'twitter',
      subject: '5051',
      label: 'crowd',
      verifiedEmail: 'crowd@EXAMPLE.com',
    };
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 3 === 0 ? other : opened.accounts).identities.signIn(index % 2 === 0 ? github : twitter, maker, null),
      ),
    );
    const operators = new Set(outcomes.map((outcome) => (outcome.kind === 'signed_in' ? outcome.account.operator : 0)));
    expect(operators.size).to.equal(1);
    expect([made, discarded]).to.deep.equal([1, 0]);
    const identities = await opened.accounts.identities.list([...operators][0] ?? 0);
    expect(identities.map(({ key }) => key)).to.have.members(['github:5050', 'twitter:5051']);
  });

  it('are made once more when the process that made the account died over it', async () => {
    const person: SignedInPerson = { provider: 'github', subject: '6060', label: 'late', verifiedEmail: null };
    const dying = { ...maker, make: () => Promise.reject(new Error('the process dies')) };
    const outcome = await opened.accounts.identities.signIn(person, dying, null).catch((error: unknown) => error);
    expect(outcome).to.be.an('error');
    expect(await opened.accounts.identities.signIn(person, maker, null)).to.include({
      kind: 'signed_in',
      created: true,
    });
  });

  it('leave an account one way in when both of its two are removed at once', async () => {
    const person: SignedInPerson = { provider: 'github', subject: '7070', label: 'two-way', verifiedEmail: null };
    const outcome = await opened.accounts.identities.signIn(person, maker, null);
    const operator = outcome.kind === 'signed_in' ? outcome.account.operator : 0;
    await opened.accounts.identities.link(operator, { ...person, provider: 'twitter' }, null);
    await Promise.all(
      ['github:7070', 'twitter:7070'].map((key) => opened.accounts.identities.unlink(operator, key, null)),
    );
    expect((await opened.accounts.identities.list(operator)).length).to.be.at.least(1);
  });
});
