import { expect } from 'chai';
import { createIdentities } from '../../../../engine/accounts/identities/create-identities.ts';
import type { SignedInPerson } from '../../../../engine/accounts/index.ts';
import { MAX_IDENTITIES } from '../../../../engine/accounts/limits.ts';
import { openParts } from '../../../../engine/accounts/open-parts.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openAccounts } from '../open-accounts.ts';

const ASKING = { client: null, knownAddress: 'ask' } as const;
const JOINING = { client: null, knownAddress: 'join' } as const;

/** A person of a provider, as it vouches for an address. */
const personOf = (provider: 'github' | 'twitter', subject: string, verifiedEmail: string | null): SignedInPerson => ({
  provider,
  subject,
  label: subject,
  verifiedEmail,
});
const mailed = (address: string): SignedInPerson => ({
  provider: 'email_magic_link',
  subject: address,
  label: address,
  verifiedEmail: address,
});

describe('identities', () => {
  const opened = useFixture(openAccounts);
  let made = 0;
  let discarded = 0;

  const maker = {
    make: async () => (made += 1),
    discard: async () => {
      discarded += 1;
    },
  };

  it('of 50 first sign-ins of one person at the same moment, in two processes, are those of one operator', async () => {
    const other = await opened().another();
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
        (index % 3 === 0 ? other : opened().accounts).identities.signIn(
          index % 2 === 0 ? github : twitter,
          maker,
          JOINING,
        ),
      ),
    );
    const operators = new Set(outcomes.map((outcome) => (outcome.kind === 'signed_in' ? outcome.account.operator : 0)));
    expect(operators.size).to.equal(1);
    expect([made, discarded]).to.deep.equal([1, 0]);
    const identities = await opened().accounts.identities.list([...operators][0] ?? 0);
    expect(identities.map(({ key }) => key)).to.have.members(['github:5050', 'twitter:5051']);
  });

  it('are created again when the process that created the account died', async () => {
    const person: SignedInPerson = { provider: 'github', subject: '6060', label: 'late', verifiedEmail: null };
    const dying = { ...maker, make: () => Promise.reject(new Error('the process dies')) };
    const outcome = await opened()
      .accounts.identities.signIn(person, dying, ASKING)
      .catch((error: unknown) => error);
    expect(outcome).to.be.an('error').with.property('message', 'the process dies');
    expect(await opened().accounts.identities.signIn(person, maker, ASKING)).to.include({
      kind: 'signed_in',
      created: true,
    });
  });

  it('leave an account one way in when both of its two are removed at once', async () => {
    const person: SignedInPerson = { provider: 'github', subject: '7070', label: 'two-way', verifiedEmail: null };
    const outcome = await opened().accounts.identities.signIn(person, maker, ASKING);
    const operator = outcome.kind === 'signed_in' ? outcome.account.operator : 0;
    await opened().accounts.identities.link(operator, { ...person, provider: 'twitter' }, null);
    const keys = ['github:7070', 'twitter:7070'];
    const { identities } = opened().accounts;
    const ends = await Promise.all(keys.map((key) => identities.unlink(operator, key, null)));
    // Each of the two can be refused for the other.
    expect(ends).to.include('last');
    for (const end of ends) expect(end).to.be.oneOf(['unlinked', 'last']);
    const left = keys.filter((_, index) => ends[index] === 'last');
    expect((await identities.list(operator)).map(({ key }) => key)).to.have.members(left);
  });

  const enter = async (who: SignedInPerson, options: typeof ASKING | typeof JOINING = ASKING): Promise<number> => {
    const outcome = await opened().accounts.identities.signIn(who, maker, options);
    return outcome.kind === 'signed_in' ? outcome.account.operator : 0;
  };

  it('of one address at the same moment are two: the first has an account, the second is asked for a link', async () => {
    const outcomes = await Promise.all(
      [personOf('github', '8080', 'race@example.com'), personOf('twitter', '8081', 'race@example.com')].map((who) =>
        opened().accounts.identities.signIn(who, maker, ASKING),
      ),
    );
    expect(outcomes.map(({ kind }) => kind)).to.have.members(['signed_in', 'address_known']);
    expect(outcomes).to.deep.include({ kind: 'address_known', address: 'race@example.com' });
  });

  it('release an address that their provider no longer vouches for, unless another of the account does', async () => {
    const { identities } = opened().accounts;
    const operator = await enter(personOf('github', '9090', 'old@example.com'));
    await enter(personOf('github', '9090', 'new@example.com'));
    expect(await identities.addressesOf(operator)).to.deep.equal(['new@example.com']);
    expect(await enter(mailed('old@example.com'), JOINING)).to.not.equal(operator);
    expect(await enter(mailed('new@example.com'), JOINING)).to.equal(operator);
    await enter(personOf('github', '9090', null));
    expect(await identities.addressesOf(operator)).to.deep.equal(['new@example.com']);
    expect(await identities.unlink(operator, 'email_magic_link:new@example.com', null)).to.equal('unlinked');
    expect(await identities.addressesOf(operator)).to.deep.equal([]);
  });

  it('unlinked while they sign in leave no address behind', async () => {
    const { identities } = opened().accounts;
    const operator = await enter(personOf('github', '9191', 'stays@example.com'));
    for (let round = 0; round < 12; round += 1) {
      const going = personOf('twitter', `919${round}`, `going-${round}@example.com`);
      await identities.link(operator, going, null);
      const other = await opened().another();
      await Promise.all([
        other.identities.signIn(going, maker, ASKING),
        identities.unlink(operator, `twitter:919${round}`, null),
      ]);
      const vouching = (await identities.list(operator)).map(({ email }) => email);
      expect(await identities.addressesOf(operator), `round ${round}`).to.deep.equal(vouching);
    }
  });

  it('are not added with a mailed link to an address of another account', async () => {
    const { identities } = opened().accounts;
    const owner = await enter(personOf('github', '9600', 'owned@example.com'));
    const other = await enter(personOf('github', '9601', null));
    expect(await identities.link(other, mailed('owned@example.com'), null)).to.equal('taken');
    expect((await identities.list(other)).map(({ key }) => key)).to.deep.equal(['github:9601']);
    expect(await enter(mailed('owned@example.com'), JOINING)).to.equal(owner);
  });

  it('are at most 20 of one account', async () => {
    const { identities } = opened().accounts;
    const operator = await enter(personOf('github', '9300', null));
    for (let index = 1; index < MAX_IDENTITIES; index += 1) {
      expect(await identities.link(operator, personOf('twitter', `930${index}`, null), null)).to.equal('linked');
    }
    expect(await identities.link(operator, personOf('twitter', '9399', null), null)).to.equal('full');
    expect(await identities.link(operator, personOf('twitter', '9301', null), null)).to.equal('exists');
    expect(await identities.list(operator)).to.have.length(MAX_IDENTITIES);
  });

  it('and addresses of an account that is being erased open another one', async () => {
    const { identities } = opened().accounts;
    const erased = await enter(personOf('github', '9400', 'erased@example.com'));
    await opened().connection.collection<{ _id: number }>('accounts').deleteOne({ _id: erased });
    const next = await enter(personOf('github', '9400', 'erased@example.com'), JOINING);
    expect(next).to.not.be.oneOf([0, erased]);
    expect([await identities.list(erased), await identities.addressesOf(erased)]).to.deep.equal([[], []]);
  });

  it('open no session again after a suspension, until they sign in', async () => {
    const { sessions, suspend } = opened().accounts;
    const operator = await enter(personOf('github', '9500', null));
    const begun = await sessions.begin({ operator, provider: 'github', identity: 'github:9500' });
    await suspend(operator, true);
    expect(await opened().accounts.identities.signIn(personOf('github', '9500', null), maker, ASKING)).to.deep.equal({
      kind: 'suspended',
    });
    const [event] = await opened().accounts.audit.list(operator, 1);
    const detail = { provider: 'github', reason: 'suspended' };
    expect(event).to.deep.include({ kind: 'sign_in_refused', detail });
    const late = await sessions.begin({ operator, provider: 'github', identity: 'github:9500' });
    expect([late, await sessions.count(operator)], 'overtaken by the suspension').to.deep.equal([null, 0]);
    await suspend(operator, false);
    expect(await sessions.find(begun?.secret ?? '')).to.equal(null);
    expect(await enter(personOf('github', '9500', null))).to.equal(operator);
  });

  it('open no session and no grant once they are unlinked', async () => {
    const { identities, sessions, oidc } = opened().accounts;
    const operator = await enter(personOf('github', '9292', null));
    await identities.link(operator, personOf('twitter', '9292', null), null);
    const opener = { operator, provider: 'twitter', identity: 'twitter:9292' } as const;
    const begun = await sessions.begin(opener);
    expect(begun?.session).to.include(opener);
    const grant = (id: string) => oidc.put({ model: 'Grant', id, payload: {} });
    await grant('before');
    expect(await oidc.recordOpener('before', { operator, key: 'twitter:9292' })).to.equal(true);
    await identities.unlink(operator, 'twitter:9292', null);
    expect(await sessions.find(begun?.secret ?? '')).to.equal(null);
    expect(await sessions.begin(opener)).to.equal(null);
    expect(await sessions.count(operator)).to.equal(0);
    await grant('after');
    expect(await oidc.recordOpener('after', { operator, key: 'twitter:9292' })).to.equal(false);
    expect(await oidc.find('Grant', 'after')).to.equal(null);
    // Nor for the former account when they were added to another one.
    const other = await enter(personOf('github', '9293', null));
    await identities.link(other, personOf('twitter', '9292', null), null);
    expect(await sessions.begin(opener)).to.equal(null);
    await grant('much-later');
    expect(await oidc.recordOpener('much-later', { operator, key: 'twitter:9292' })).to.equal(false);
  });

  it('end a session that they open while they are unlinked', async () => {
    const { identities, sessions } = opened().accounts;
    const parts = openParts({ connection: opened().connection, clock: () => opened().now });
    const { identityStore: store } = parts;
    const operator = await enter(personOf('github', '9295', null));
    await identities.link(operator, personOf('twitter', '9295', null), null);
    const secrets: string[] = [];
    const remove: typeof store.remove = async (...gone) => {
      const begun = await sessions.begin({ operator, provider: 'twitter', identity: 'twitter:9295' });
      secrets.push(begun?.secret ?? '');
      return store.remove(...gone);
    };
    const overtaken = createIdentities({ ...parts, identityStore: { ...store, remove } });
    expect(await overtaken.unlink(operator, 'twitter:9295', null)).to.equal('unlinked');
    expect(secrets).to.have.length(1).and.not.include('');
    expect(await sessions.find(secrets[0]!)).to.equal(null);
  });
});
