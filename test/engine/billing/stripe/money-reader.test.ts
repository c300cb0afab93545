import { expect } from 'chai';
import type { Actions } from '../../../support/stripe/actions.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openBilling, subscribe } from '../open-billing.ts';

describe('money that Stripe moved', () => {
  const opened = useFixture(openBilling);
  let operator = 0;

  before(() => opened().card.setUp());

  /** Another operator, who has just paid. */
  const subscribed = (): Promise<string> => subscribe(opened(), ++operator);

  /** What is recorded once a comparison found every event. */
  async function recorded(): Promise<string[]> {
    opened().now += 60_000;
    await opened().card.compare();
    const payments = await opened().billing.payments.ofSubject(`subject-${operator}`, 10);
    return payments.map(({ kind, amount }) => `${kind} ${amount}`).toSorted();
  }

  const invoiceOf = (id: string) => {
    const { latest_invoice } = opened().stripe.ledger.subscriptions.get(id)!;
    return opened().stripe.ledger.invoices.get(latest_invoice)!;
  };

  for (const [what, change] of [
    ['an invoice over nothing', { amount_paid: 0 }],
    ['an invoice that is not paid any more', { status: 'open' }],
  ] as const) {
    it(`is not ${what}`, async () => {
      Object.assign(invoiceOf(await subscribed()), change);
      expect(await recorded()).to.deep.equal([]);
    });
  }

  it('is booked when it was paid, not when the invoice was made', async () => {
    const invoice = invoiceOf(await subscribed());
    const paid_at = invoice.created + 86_400;
    Object.assign(invoice, { status_transitions: { ...invoice.status_transitions, paid_at } });
    expect(await recorded()).to.deep.equal(['subscription 500']);
    const [payment] = await opened().billing.payments.ofSubject(`subject-${operator}`, 1);
    expect(payment?.occurredAt).to.equal(paid_at * 1_000);
  });

  for (const [status, records] of [
    ['warning_needs_response', ['subscription 500']],
    ['needs_response', ['dispute -500', 'subscription 500']],
  ] as const) {
    it(`in a dispute that ${status}`, async () => {
      const { actions }: { readonly actions: Actions } = opened().stripe;
      actions.dispute(actions.chargeOf(await subscribed()).id, status);
      expect(await recorded()).to.deep.equal(records);
    });
  }
});
