import { expect } from 'chai';
import { createIdentityStore } from '../../../../engine/accounts/mongo/identity-store.ts';
import { openModels } from '../../../../engine/accounts/mongo/models.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openAccounts } from '../open-accounts.ts';

const ADDRESS = 'shared@example.com';
const FIRST = { operator: 1, key: 'github:1' };
const SECOND = { operator: 2, key: 'github:2' };

describe('a verified address', () => {
  const under = useFixture(openAccounts);
  const store = useFixture(() => createIdentityStore(openModels(under().connection)));
  const at = useFixture(() => new Date(under().now));
  const stored = () => openModels(under().connection).addresses;

  beforeEach(() => stored().deleteMany({}));

  it('is of one account while one of its identities vouches for it, and stored no longer', async () => {
    expect(await store().claimAddress(ADDRESS, FIRST, at())).to.equal(true);
    expect(await store().claimAddress(ADDRESS, SECOND, at())).to.equal(false);
    expect(await store().joinAddress(ADDRESS, SECOND)).to.equal(false);
    expect(await store().joinAddress(ADDRESS, { ...FIRST, key: 'twitter:1' })).to.equal(true);
    await store().withdraw(FIRST, null);
    expect([await store().ownerOf(ADDRESS), await store().addressesOf(1)]).to.deep.equal([1, [ADDRESS]]);
    await store().withdraw({ ...FIRST, key: 'twitter:1' }, null);
    expect(await stored().countDocuments()).to.equal(0);
  });

  it('without a voucher belongs to no account, and to the next that proves it', async () => {
    await stored().insertOne({ _id: ADDRESS, operator: 1, vouchers: [], verified_at: at() });
    expect([await store().ownerOf(ADDRESS), await store().addressesOf(1)]).to.deep.equal([null, []]);
    expect(await store().joinAddress(ADDRESS, FIRST)).to.equal(false);
    expect(await store().claimAddress(ADDRESS, SECOND, at())).to.equal(true);
    expect(await store().ownerOf(ADDRESS)).to.equal(2);
  });

  it('keeps its time of verification, which orders addresses, when its provider vouches again', async () => {
    await store().claimAddress('older@example.com', FIRST, at());
    await store().claimAddress(ADDRESS, FIRST, new Date(under().now + 1));
    await store().claimAddress('older@example.com', { ...FIRST, key: 'twitter:1' }, new Date(under().now + 2));
    expect(await store().addressesOf(1)).to.deep.equal(['older@example.com', ADDRESS]);
    await store().withdraw(FIRST, ADDRESS);
    expect(await stored().findOne({ _id: ADDRESS })).to.deep.include({ vouchers: [FIRST.key] });
    expect(await stored().findOne({ _id: 'older@example.com' })).to.deep.include({ vouchers: ['twitter:1'] });
    await store().releaseAddress(ADDRESS, SECOND.operator);
    expect(await store().ownerOf(ADDRESS)).to.equal(1);
  });

  it('comes from an identity that no other account changes or removes', async () => {
    const own = { ...FIRST, provider: 'github', label: 'one', email: ADDRESS } as const;
    await store().insert(own, at());
    expect(await store().touch(SECOND.operator, own.key, { label: 'another', email: null }, at())).to.equal(false);
    expect(await store().remove(SECOND.operator, own.key)).to.equal(false);
    expect(await store().find(own.key)).to.include(own);
  });
});
