import { expect } from 'chai';
import { shareNextRun } from '../../../../engine/billing/subscriptions/refresh-account.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openBilling, subscribe } from '../open-billing.ts';

describe('shareNextRun', () => {
  it('returns no result of a run that began before the call', async () => {
    let truth = 0;
    let runs = 0;
    const run = shareNextRun(async (_key: string) => {
      runs += 1;
      const found = truth;
      await new Promise(setImmediate);
      return found;
    });
    const first = run('one');
    await Promise.resolve();
    await Promise.resolve();
    truth = 1;
    const others = await Promise.all([run('one'), run('one'), run('one')]);
    expect(await first).to.equal(0);
    expect(others).to.deep.equal([1, 1, 1]);
    expect(runs).to.equal(2);
  });

  it('continues after a failed run, and does not wait for other keys', async () => {
    const run = shareNextRun(async (key: string) => {
      if (key === 'bad') throw new Error('no');
      return key;
    });
    const failed = await Promise.allSettled([run('bad'), run('good'), run('bad')]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled', 'rejected']);
    expect(await run('good')).to.equal('good');
  });
});

describe('an account that two processes read from Stripe', () => {
  const opened = useFixture(openBilling);

  it('has what the later read found, also when that was nothing new', async () => {
    const { card, billing, stripe } = opened();
    await card.setUp();
    const subscription = stripe.ledger.subscriptions.get(await subscribe(opened(), 1))!;
    await card.refresh(1);
    const present = await billing.subscriptionsOf(1);
    const reads: string[] = [];
    stripe.meanwhile = async (request) => {
      if (request !== 'GET /v1/subscriptions') return;
      reads.push(request);
      subscription.status = 'active';
      if (reads.length > 1) return;
      await card.refresh(1);
      // As if the first answer had been given before the second, and came later.
      subscription.status = 'past_due';
    };
    await opened().another().refresh(1);
    expect(reads).to.have.length(3);
    expect(await billing.subscriptionsOf(1)).to.deep.equal(present);
  });
});
