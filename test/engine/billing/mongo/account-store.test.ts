import { expect } from 'chai';
import { createAccountStore } from '../../../../engine/billing/mongo/account-store.ts';
import { openBillingModels } from '../../../../engine/billing/mongo/models.ts';
import { useConnection } from '../../../support/engines.ts';

/** More than one command reads. */
const MANY = 401;

describe('a billing account', () => {
  const connection = useConnection();

  it('is compared once when it has a customer, however many there are', async () => {
    const collections = openBillingModels(connection());
    const empty = { customer: 'cus', checkout: null, subscriptions: [], revision: 0, forgotten: false };
    const numbers = Array.from({ length: MANY }, (_, index) => index + 100);
    await collections.accounts.insertMany(numbers.map((_id) => ({ ...empty, _id, subject: `subject-${_id}` })));
    const compared: number[] = [];
    for await (const { operator } of createAccountStore(collections).withCustomer()) compared.push(operator);
    expect(compared).to.deep.equal(numbers);
    await collections.accounts.deleteMany({});
  });

  it('that is forgotten is no longer changed or compared, and is the only kind that is removed', async () => {
    const store = createAccountStore(openBillingModels(connection()));
    for (const operator of [1, 2]) {
      await store.ensure({ operator, subject: `subject-${operator}` });
      const account = await store.find(operator);
      const checkout = { session: 'cs_1', url: 'https://pay.example/1', expiresAt: 1_000, plan: 'monthly' } as const;
      expect(await store.change(account!, { customer: `cus_${operator}`, checkout })).to.equal(true);
      expect(await store.change(account!, { checkout: null }), 'as it was read before').to.equal(false);
    }
    await store.remove(2);
    await store.forget(1);
    const given = await store.find(1);
    expect(given).to.include({ customer: 'cus_1', forgotten: true, checkout: null });
    expect(await store.change(given!, { customer: 'cus_other' })).to.equal(false);
    expect(await store.find(1)).to.include({ customer: 'cus_1' });
    const compared: number[] = [];
    for await (const { operator } of store.withCustomer()) compared.push(operator);
    expect(compared).to.deep.equal([2]);
    await store.remove(1);
    expect(await store.find(1)).to.equal(null);
  });
});
