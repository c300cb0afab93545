import { expect } from 'chai';
import { createKeyOwners } from '../../../../../engine/accounts/devices/cache-device-keys.ts';
import { openCollections } from '../../../../../engine/accounts/mongo/collections.ts';
import { createDeviceStore } from '../../../../../engine/accounts/mongo/device-store.ts';
import { type AccountsUnderTest, openAccounts } from '../../open-accounts.ts';

describe('owners of device keys', () => {
  let under: AccountsUnderTest;

  before(async () => {
    under = await openAccounts();
  });

  after(() => under.close());

  /** Owners over the real store, with the lookups that reach it. */
  function openOwners() {
    const store = createDeviceStore(openCollections(under.connection));
    const lookups: number[] = [];
    const keys: typeof store.keys = (kids) => {
      lookups.push(kids.length);
      return store.keys(kids);
    };
    return { store, lookups, owner: createKeyOwners({ keys }) };
  }

  it('are read once each, and concurrent reads share one query', async () => {
    const { store, lookups, owner } = openOwners();
    const kids = Array.from({ length: 40 }, (_, index) => `known-${index}`);
    for (const [index, kid] of kids.entries()) {
      await store.insert({ kid, operator: index, publicKey: 'x', name: null, createdAt: new Date(under.now) });
    }
    for (let round = 0; round < 3; round++) {
      expect(await Promise.all(kids.map((kid, index) => owner(kid, index)))).to.deep.equal(kids.map((_, at) => at));
    }
    expect(lookups).to.deep.equal([40]);
  });

  it('are read again when they are not the expected ones, once for all concurrent calls', async () => {
    const { store, lookups, owner } = openOwners();
    const unknown = await Promise.all(Array.from({ length: 300 }, (_, index) => owner(`unknown-${index % 3}`, 1)));
    expect(new Set(unknown)).to.deep.equal(new Set([null]));
    expect(lookups).to.deep.equal([3]);
    await store.insert({ kid: 'unknown-0', operator: 8, publicKey: 'x', name: null, createdAt: new Date(under.now) });
    expect([await owner('unknown-0', 1), await owner('unknown-0', 8)]).to.deep.equal([8, 8]);
    expect(await owner('unknown-0', 1)).to.equal(8);
    expect(lookups).to.have.length(3);
  });
});
