import { expect } from 'chai';
import { MINUTE_MS } from '../../../config/units.ts';
import { entitlementOf, StripeUnavailableError } from '../../../engine/billing/index.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { openBilling } from './open-billing.ts';

/** One more than Stripe lists at a time. */
const EVENTS = 101;

describe('a comparison with Stripe', () => {
  const opened = useFreshFixture(openBilling);

  beforeEach(() => opened().card.setUp());

  /** Lets an operator subscribe and pay; its webhooks get lost. */
  async function subscribed(operator: number): Promise<string> {
    const wish = { operator, subject: `subject-${operator}`, email: null, plan: 'monthly' } as const;
    const outcome = await opened().card.subscribe(wish);
    const session = outcome.kind === 'checkout' ? (outcome.url.split('/').at(-1) ?? '') : '';
    return opened().stripe.actions.pay(session).id;
  }

  const isEligible = async (operator: number): Promise<boolean> =>
    entitlementOf(await opened().billing.subscriptionsOf(operator), opened().now).eligible;

  it('leaves the events of the last minute to their webhooks', async () => {
    await subscribed(1);
    const made = opened().stripe.deliveries.take().length;
    expect(await opened().card.compare()).to.include({ missedEvents: 0, differingAccounts: 1 });
    opened().now += MINUTE_MS;
    expect(await opened().card.compare()).to.include({ missedEvents: made, differingAccounts: 0 });
  });

  it('finds every event, however many there are', async () => {
    for (let number = 0; number < EVENTS; number += 1) {
      opened().stripe.ledger.emit('customer.subscription.updated', { id: `sub_${number}`, customer: null });
    }
    opened().now += MINUTE_MS;
    expect(await opened().card.compare()).to.include({ missedEvents: EVENTS });
  });

  it('leaves out an account that cannot be compared, says so, and goes on with the others', async () => {
    const broken = await subscribed(1);
    expect(await opened().card.compare()).to.include({ accounts: 1 });
    await subscribed(2);
    Object.assign(opened().stripe.ledger.subscriptions.get(broken)!.items, { data: null });
    expect(await opened().card.compare().catch(String)).to.match(/^AggregateError: 1 accounts/);
    expect(await isEligible(2)).to.equal(true);
    expect(await isEligible(1), 'what was known before').to.equal(true);
  });

  it('ends when Stripe is away, as one that could not be made', async () => {
    await subscribed(1);
    opened().stripe.condition = 'dead';
    expect(
      await opened()
        .card.compare()
        .catch((error: unknown) => error),
    ).to.be.instanceOf(StripeUnavailableError);
  });
});
