import { expect } from 'chai';
import { createEventStore } from '../../../../engine/billing/mongo/event-store.ts';
import { openBillingModels } from '../../../../engine/billing/mongo/models.ts';
import { useConnection } from '../../../support/engines.ts';

describe('stored events of Stripe', () => {
  const connection = useConnection();

  it('are stored once and applied once, however many processes do so', async () => {
    const store = createEventStore(openBillingModels(connection()));
    const event = { id: 'evt_1', type: 'invoice.paid', object: 'in_1', customer: null, createdAt: 1_000 };
    const moments = [2_000, 3_000, 4_000, 5_000];
    const stored = await Promise.all(moments.map((now) => store.insert(event, now)));
    expect(stored.filter((isNew) => isNew)).to.have.length(1);
    const applied = await Promise.all(moments.map((now) => store.applied('evt_1', now)));
    expect(applied.filter((isFirst) => isFirst)).to.have.length(1);
    expect(await store.find('evt_1')).to.deep.equal({ ...event, applied: true });
  });
});
