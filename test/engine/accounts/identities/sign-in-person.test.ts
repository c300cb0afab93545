import { expect } from 'chai';
import { createIdentities } from '../../../../engine/accounts/identities/create-identities.ts';
import { openParts } from '../../../../engine/accounts/open-parts.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openAccounts } from '../open-accounts.ts';

const ADDRESS = 'given-up@example.com';

describe('a sign-in by an address', () => {
  const under = useFixture(openAccounts);
  let made = 0;

  const maker = { make: async () => (made += 1), discard: async () => undefined };

  it('opens another account when the owner gave the address up meanwhile', async () => {
    const parts = openParts({ connection: under().connection, clock: () => under().now });
    const { identityStore: store } = parts;
    const { identities } = under().accounts;
    const overtaken = createIdentities({
      ...parts,
      identityStore: {
        ...store,
        joinAddress: async (address, identity) => {
          await store.releaseAddress(address, identity.operator);
          return store.joinAddress(address, identity);
        },
      },
    });
    const owner = { provider: 'github', subject: '1', label: 'owner', verifiedEmail: ADDRESS } as const;
    const mailed = { provider: 'email_magic_link', subject: ADDRESS, label: ADDRESS, verifiedEmail: ADDRESS } as const;
    const options = { client: null, knownAddress: 'join' } as const;
    expect(await identities.signIn(owner, maker, options)).to.include({ kind: 'signed_in', created: true });
    expect(await overtaken.signIn(mailed, maker, options)).to.include({ kind: 'signed_in', created: true });
    expect((await identities.list(1)).map(({ key }) => key)).to.deep.equal(['github:1']);
    expect(await identities.addressesOf(2)).to.deep.equal([ADDRESS]);
  });
});
