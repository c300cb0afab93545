import { expect } from 'chai';
import { toKnownPerson, vouch } from '../../../../engine/accounts/identities/known-person.ts';
import { createIdentityStore } from '../../../../engine/accounts/mongo/identity-store.ts';
import { openModels } from '../../../../engine/accounts/mongo/models.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openAccounts } from '../open-accounts.ts';

describe('a known person', () => {
  const under = useFixture(openAccounts);

  it('keeps no address when the identity was removed just before it was claimed', async () => {
    const store = createIdentityStore(openModels(under().connection));
    const person = toKnownPerson({ provider: 'github', subject: '1', label: 'one', verifiedEmail: 'one@example.com' });
    await store.insert({ ...person, operator: 1, email: person.address }, new Date(under().now));
    const overtaken: typeof store = {
      ...store,
      claimAddress: async (...claim) => {
        await store.remove(1, person.key);
        return store.claimAddress(...claim);
      },
    };
    expect(await vouch({ identityStore: overtaken, clock: () => under().now }, person, 1)).to.equal('gone');
    expect(await store.addressesOf(1)).to.deep.equal([]);
  });
});
