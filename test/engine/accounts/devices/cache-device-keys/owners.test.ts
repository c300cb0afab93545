import { expect } from 'chai';
import { createKeyOwnerLookup } from '../../../../../engine/accounts/devices/cache-device-keys.ts';
import { createDeviceStore } from '../../../../../engine/accounts/mongo/device-store.ts';
import { openModels } from '../../../../../engine/accounts/mongo/models.ts';
import { useFixture } from '../../../../support/use-fixture.ts';
import { openAccounts } from '../../open-accounts.ts';

describe('owners of device keys', () => {
  const under = useFixture(openAccounts);

  /** Owners over the real store, with the lookups that reach it. */
  function openOwners() {
    const store = createDeviceStore(openModels(under().connection));
    const lookups: number[] = [];
    const keys: typeof store.keys = (kids) => {
      lookups.push(kids.length);
      return store.keys(kids);
    };
    return { store, lookups, findOwner: createKeyOwnerLookup({ keys }) };
  }

  it('are known once they were read, and concurrent reads share one query', async () => {
    const { store, lookups, findOwner } = openOwners();
    const kids = Array.from({ length: 40 }, (_, index) => `known-${index}`);
    for (const [index, kid] of kids.entries()) {
      await store.insert({ kid, operator: index, publicKey: 'x', name: null, createdAt: new Date(under().now) });
    }
    const findAll = () => Promise.all(kids.map((kid, index) => findOwner(kid, index)));
    expect(await findAll()).to.deep.equal(kids.map((_, at) => at));
    expect(lookups).to.deep.equal([40]);
    expect(await findAll()).to.deep.equal(kids.map((_, at) => at));
    expect(lookups).to.deep.equal([40]);
  });

  it('are read again while the key is unknown, and then known as the only one', async () => {
    const { store, lookups, findOwner } = openOwners();
    const unknown = await Promise.all(Array.from({ length: 300 }, (_, index) => findOwner(`unknown-${index % 3}`, 8)));
    expect(new Set(unknown)).to.deep.equal(new Set([null]));
    expect(lookups).to.deep.equal([3]);
    await store.insert({ kid: 'unknown-0', operator: 8, publicKey: 'x', name: null, createdAt: new Date(under().now) });
    expect(await findOwner('unknown-0', 8)).to.equal(8);
    expect([await findOwner('unknown-0', 1), await findOwner('unknown-0', 8)]).to.deep.equal([8, 8]);
    // Only the claim of another operator reads the owner again.
    expect(lookups).to.deep.equal([3, 1, 1]);
  });
});
