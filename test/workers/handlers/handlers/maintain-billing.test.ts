import { Worker } from 'bullmq';
import { expect } from 'chai';
import { Stripe } from 'stripe';
import { DAY_MS } from '../../../../config/units.ts';
import { enqueueBillingEvent } from '../../../../ops/runtime/queues/enqueue.ts';
import { maintainBilling } from '../../../../workers/handlers/handlers.ts';
import { openBilling } from '../../../engine/billing/open-billing.ts';
import { run } from '../../../ops/commands/run.ts';
import { eventually } from '../../../support/eventually.ts';
import { STAND_IN_SECRET } from '../../../support/stripe/stand-in-secrets.ts';
import { openFreshQueues } from '../../../support/test-queues.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const refuse = (): Promise<never> => Promise.reject(new Error('never'));

describe('events of Stripe whose job always fails', () => {
  const opened = useFixture(openBilling);
  const work = useFixture(openFreshQueues);
  const queues = () => work().queues;

  async function receive(id: string) {
    const created = Math.floor(opened().now / 1_000);
    const payload = JSON.stringify({ id, type: 'invoice.paid', created, data: { object: { id: 'in_1' } } });
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: STAND_IN_SECRET,
      timestamp: created,
    });
    return opened().card.events.receive({ body: Buffer.from(payload), signature });
  }

  /** Makes the only job of the queue fail permanently. */
  async function fail(id: string): Promise<void> {
    const worker = new Worker('billing', refuse, work().worker('billing'));
    // Without the backoff of the catalog.
    await eventually('the failure', async () => {
      const job = await queues().billing.getJob(id);
      if ((await job?.getState()) === 'delayed') await job?.promote().catch(() => undefined);
      return (await queues().billing.getFailedCount()) === 1;
    });
    await worker.close();
  }

  it('are retried for three days, and then left to operators', async () => {
    await receive('evt_poisoned');
    await enqueueBillingEvent(queues(), 'evt_poisoned');
    await fail('evt_poisoned');
    opened().now += 3 * DAY_MS;
    await maintainBilling({ billing: opened().billing, queues: queues() });
    expect(await queues().billing.getFailedCount()).to.equal(0);
    await fail('evt_poisoned');
    opened().now += 1;
    await maintainBilling({ billing: opened().billing, queues: queues() });
    const { total, jobs } = JSON.parse((await run(work().database, ['jobs', 'failed', '--json'])).out);
    expect(total).to.equal(1);
    expect(jobs[0]).to.include({ queue: 'billing', id: 'evt_poisoned', name: 'apply-billing-event', reason: 'never' });
  });

  it('are removed long after their arrival', async () => {
    const stored = { kind: 'stored', id: 'evt_old' };
    expect(await receive('evt_old')).to.deep.equal(stored);
    await maintainBilling({ billing: opened().billing, queues: queues() });
    expect(await receive('evt_old')).to.not.deep.equal(stored);
    opened().now += 45 * DAY_MS;
    await maintainBilling({ billing: opened().billing, queues: queues() });
    expect(await receive('evt_old')).to.deep.equal(stored);
  });
});
