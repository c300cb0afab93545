import type { Ledger } from './ledger.ts';
import type {
  ChargeObject,
  DisputeObject,
  InvoiceObject,
  PriceObject,
  RefundObject,
  SubscriptionObject,
} from './objects.ts';

const DAY_S = 24 * 60 * 60;

/** Actions of customers, banks and users of Stripe's dashboard. */
export class Actions {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** A customer pays on a checkout page: the subscription begins. */
  pay(sessionId: string): SubscriptionObject {
    const ledger = this.#ledger;
    const session = must(ledger.sessions.get(sessionId));
    if (session.status !== 'open') throw new Error(`the session is ${session.status}`);
    const price = must(ledger.prices.get(must(ledger.priceOfSession.get(sessionId))));
    const metadata = ledger.metadataOfSession.get(sessionId) ?? {};
    const subscription = this.#begin(session.customer, price, metadata);
    Object.assign(session, { status: 'complete', payment_status: 'paid', url: null, subscription: subscription.id });
    ledger.emit('customer.subscription.created', subscription);
    this.#settle(subscription);
    ledger.emit('checkout.session.completed', session);
    return subscription;
  }

  /** The next period begins; its invoice is paid, or it is not. */
  renew(id: string, paid = true): void {
    const subscription = must(this.#ledger.subscriptions.get(id));
    const [item] = subscription.items.data;
    item.current_period_start = item.current_period_end;
    item.current_period_end += periodOf(item.price);
    subscription.latest_invoice = this.#invoice(subscription).id;
    if (paid) return this.#settle(subscription);
    subscription.status = 'past_due';
    this.#ledger.emit('invoice.payment_failed', this.#latest(subscription));
    this.#ledger.emit('customer.subscription.updated', subscription);
  }

  /** A failed payment is made good. */
  payLate(id: string): void {
    this.#settle(must(this.#ledger.subscriptions.get(id)));
  }

  /** All attempts to collect have failed. */
  giveUp(id: string): void {
    this.#change(id, { status: 'unpaid' });
  }

  cancelAtPeriodEnd(id: string, wanted = true): void {
    this.#change(id, { cancel_at_period_end: wanted, canceled_at: wanted ? this.#ledger.now() : null });
  }

  /** Ends a subscription now. */
  cancel(id: string, reason = 'cancellation_requested'): void {
    const now = this.#ledger.now();
    const change = { status: 'canceled', ended_at: now, canceled_at: now, cancellation_details: { reason } } as const;
    const subscription = Object.assign(must(this.#ledger.subscriptions.get(id)), change);
    this.#ledger.emit('customer.subscription.deleted', subscription);
  }

  pause(id: string): void {
    const subscription = Object.assign(must(this.#ledger.subscriptions.get(id)), { status: 'paused' });
    this.#ledger.emit('customer.subscription.paused', subscription);
  }

  resume(id: string): void {
    const subscription = Object.assign(must(this.#ledger.subscriptions.get(id)), { status: 'active' });
    this.#ledger.emit('customer.subscription.resumed', subscription);
  }

  /** Refunds an amount, by default the rest. Returns the refund's id. */
  refund(chargeId: string, amount?: number, status: RefundObject['status'] = 'succeeded'): string {
    const ledger = this.#ledger;
    const charge = must(ledger.charges.get(chargeId));
    const given = amount ?? charge.amount - charge.amount_refunded;
    charge.amount_refunded += given;
    charge.refunded = charge.amount_refunded === charge.amount;
    const { currency, payment_intent } = charge;
    const id = ledger.name('re');
    const created = ledger.now();
    const refund = {
      id,
      object: 'refund',
      amount: given,
      charge: chargeId,
      created,
      currency,
      payment_intent,
    } as const;
    ledger.refunds.set(id, { ...refund, status });
    ledger.emit('charge.refunded', charge);
    return id;
  }

  /** A bank says how a refund ended, days after it began or after it seemed to have ended. */
  endRefund(id: string, status: 'succeeded' | 'failed'): void {
    const refund = Object.assign(must(this.#ledger.refunds.get(id)), { status });
    if (status === 'failed') {
      const charge = must(this.#ledger.charges.get(refund.charge));
      charge.amount_refunded -= refund.amount;
      charge.refunded = false;
      this.#ledger.emit('refund.failed', refund);
    }
    this.#ledger.emit('refund.updated', refund);
  }

  dispute(chargeId: string, status: DisputeObject['status'] = 'needs_response'): string {
    const ledger = this.#ledger;
    const charge = must(ledger.charges.get(chargeId));
    charge.disputed = true;
    const { amount, currency, payment_intent } = charge;
    const id = ledger.name('du');
    const created = ledger.now();
    const taken = { id, object: 'dispute', amount, charge: chargeId, created, currency, payment_intent } as const;
    const dispute: DisputeObject = { ...taken, reason: 'general', status };
    ledger.disputes.set(id, dispute);
    ledger.emit('charge.dispute.created', dispute);
    return id;
  }

  closeDispute(id: string, status: 'won' | 'lost'): void {
    this.#ledger.emit('charge.dispute.closed', Object.assign(must(this.#ledger.disputes.get(id)), { status }));
  }

  /** The newest charge of a subscription. */
  chargeOf(id: string): ChargeObject {
    const { latest_invoice } = must(this.#ledger.subscriptions.get(id));
    return must([...this.#ledger.charges.values()].find((charge) => charge.invoice_of_stand_in === latest_invoice));
  }

  #change(id: string, change: Partial<SubscriptionObject>): void {
    const subscription = Object.assign(must(this.#ledger.subscriptions.get(id)), change);
    this.#ledger.emit('customer.subscription.updated', subscription);
  }

  #begin(customer: string, price: PriceObject, metadata: Readonly<Record<string, string>>): SubscriptionObject {
    const ledger = this.#ledger;
    const now = ledger.now();
    const period = { current_period_start: now, current_period_end: now + periodOf(price) };
    const item = { id: ledger.name('si'), object: 'subscription_item', price, ...period } as const;
    const subscription: SubscriptionObject = {
      id: ledger.name('sub'),
      object: 'subscription',
      created: now,
      customer,
      metadata,
      status: 'incomplete',
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      ended_at: null,
      cancellation_details: { reason: null },
      pause_collection: null,
      latest_invoice: '',
      items: { object: 'list', has_more: false, data: [item] },
      livemode: false,
    };
    ledger.subscriptions.set(subscription.id, subscription);
    subscription.latest_invoice = this.#invoice(subscription).id;
    return subscription;
  }

  #invoice({ id, customer, items }: SubscriptionObject): InvoiceObject {
    const ledger = this.#ledger;
    const { unit_amount, currency } = items.data[0].price;
    const invoice: InvoiceObject = {
      id: ledger.name('in'),
      object: 'invoice',
      number: `STAND-IN-${String(ledger.invoices.size + 1).padStart(4, '0')}`,
      created: ledger.now(),
      currency,
      customer,
      amount_due: unit_amount,
      amount_paid: 0,
      status: 'open',
      status_transitions: { paid_at: null },
      parent: { type: 'subscription_details', subscription_details: { subscription: id } },
      livemode: false,
    };
    ledger.invoices.set(invoice.id, invoice);
    return invoice;
  }

  /** The latest invoice is paid. */
  #settle(subscription: SubscriptionObject): void {
    const ledger = this.#ledger;
    const invoice = this.#latest(subscription);
    if (invoice.status === 'paid') return;
    const { id, amount_due: amount, currency, customer } = invoice;
    Object.assign(invoice, { status: 'paid', amount_paid: amount });
    invoice.status_transitions.paid_at = ledger.now();
    const charge: ChargeObject = {
      id: ledger.name('ch'),
      object: 'charge',
      amount,
      amount_refunded: 0,
      created: ledger.now(),
      currency,
      customer,
      disputed: false,
      paid: true,
      payment_intent: ledger.name('pi'),
      refunded: false,
      invoice_of_stand_in: id,
      status: 'succeeded',
    };
    ledger.charges.set(charge.id, charge);
    subscription.status = 'active';
    ledger.emit('invoice.paid', invoice);
    ledger.emit('customer.subscription.updated', subscription);
  }

  #latest({ latest_invoice }: SubscriptionObject): InvoiceObject {
    return must(this.#ledger.invoices.get(latest_invoice));
  }
}

function periodOf({ recurring }: PriceObject): number {
  return (recurring.interval === 'year' ? 365 : 30) * DAY_S;
}

export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('the stand-in knows no such object');
  return value;
}
