import { expect } from 'chai';
import { createKeyOwners } from '../../../../../engine/accounts/devices/cache-device-keys.ts';
import { createDeviceStore } from '../../../../../engine/accounts/mongo/device-store.ts';
import { openModels } from '../../../../../engine/accounts/mongo/models.ts';
import { type AccountsUnderTest, openAccounts } from '../../open-accounts.ts';

describe('owners of device keys', () => {
  let under: AccountsUnderTest;

  before(async () => {
    under = await openAccounts();
  });

  after(() => under.close());

  /** Owners over the real store, with the lookups that reach it. */
  function openOwners() {
    const store = createDeviceStore(openModels(under.connection));
    const lookups: number[] = [];
    const keys: typeof store.keys = (kids) => {
      lookups.push(kids.length);
      return store.keys(kids);
    };
    return { store, lookups, owners: createKeyOwners({ keys }) };
  }

  it('are known once they were read, and concurrent reads share one query', async () => {
    const { store, lookups, owners } = openOwners();
    const kids = Array.from({ length: 40 }, (_, index) => `known-${index}`);
    for (const [index, kid] of kids.entries()) {
      await store.insert({ kid, operator: index, publicKey: 'x', name: null, createdAt: new Date(under.now) });
    }
    expect(kids.some((kid, index) => owners.isOwner(kid, index))).to.equal(false);
    expect(await Promise.all(kids.map((kid) => owners.read(kid)))).to.deep.equal(kids.map((_, at) => at));
    expect(lookups).to.deep.equal([40]);
    expect(kids.every((kid, index) => owners.isOwner(kid, index))).to.equal(true);
  });

  it('are read again while the key is unknown, and then known as the only one', async () => {
    const { store, lookups, owners } = openOwners();
    const unknown = await Promise.all(Array.from({ length: 300 }, (_, index) => owners.read(`unknown-${index % 3}`)));
    expect(new Set(unknown)).to.deep.equal(new Set([null]));
    expect(lookups).to.deep.equal([3]);
    await store.insert({ kid: 'unknown-0', operator: 8, publicKey: 'x', name: null, createdAt: new Date(under.now) });
    expect(await owners.read('unknown-0')).to.equal(8);
    expect([1, 8].map((operator) => owners.isOwner('unknown-0', operator))).to.deep.equal([false, true]);
  });
});
