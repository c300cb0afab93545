import type { Stripe } from 'stripe';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { GuardedCall } from '../guard-calls.ts';
import type { NewPayment } from '../payments.ts';
import { idOf, paymentIntentsOf } from './read-subscription.ts';

/** Movements of money, and the customer; null without one. */
export interface MoneyMovements {
  readonly customer: string | null;
  readonly movements: readonly NewPayment[];
}

const MAX_REFUNDS = 100;

/** Reads the movements of money that an event concerns, from Stripe's objects in their current state. */
export function createMoneyReader(stripe: Stripe, call: GuardedCall) {
  async function ofCharge(id: string): Promise<MoneyMovements> {
    const charge = await call('find_charge', () => stripe.charges.retrieve(id));
    const refunds = await call('list_refunds', () => stripe.refunds.list({ charge: id, limit: MAX_REFUNDS }));
    const movements = refunds.data.flatMap((refund) => movementsOfRefund(refund, id));
    return { customer: charge.customer === null ? null : idOf(charge.customer), movements };
  }

  return {
    /** The payment of an invoice; none while it is unpaid, or when its amount is 0. */
    async ofInvoice(id: string): Promise<MoneyMovements> {
      const expand = ['payments'];
      const invoice = await call('find_invoice', () => stripe.invoices.retrieve(id, { expand }));
      const { amount_paid: amount, currency, created, status, status_transitions } = invoice;
      const customer = invoice.customer === null ? null : idOf(invoice.customer);
      if (status !== 'paid' || amount === 0) return { customer, movements: [] };
      const subscription = invoice.parent?.subscription_details?.subscription;
      const [intent] = paymentIntentsOf(invoice);
      const references = {
        ...(invoice.number === null ? {} : { invoice_number: invoice.number }),
        ...(subscription === undefined ? {} : { subscription: idOf(subscription) }),
        ...(intent === undefined ? {} : { payment_intent: intent }),
      };
      const occurredAt = (status_transitions.paid_at ?? created) * MS_PER_SECOND;
      const paid = { provider: 'stripe', kind: 'subscription', id, amount, currency, occurredAt, references } as const;
      return { customer, movements: [paid] };
    },

    /** The refunds of a charge. */
    ofCharge,

    /** All refunds of a refund's charge: a refund may complete days after its creation. */
    async ofRefund(id: string): Promise<MoneyMovements> {
      const { charge } = await call('find_refund', () => stripe.refunds.retrieve(id));
      return charge === null ? { customer: null, movements: [] } : ofCharge(idOf(charge));
    },

    /** What a dispute took, and what winning it returned. */
    async ofDispute(id: string): Promise<MoneyMovements> {
      const expand = ['charge'];
      const dispute = await call('find_dispute', () => stripe.disputes.retrieve(id, { expand }));
      const { amount, currency, created, status, charge } = dispute;
      const owner = typeof charge === 'string' ? null : charge.customer;
      const customer = owner === null ? null : idOf(owner);
      // A warning is an inquiry by a bank: no money has moved.
      if (status.startsWith('warning_')) return { customer, movements: [] };
      const references = { charge: idOf(charge), reason: dispute.reason };
      const taken = toPayment('dispute', { id, amount: -amount, currency, created, references });
      const won = toPayment('dispute_won', { id, amount, currency, created, references });
      return { customer, movements: status === 'won' ? [taken, won] : [taken] };
    },
  };
}

/**
 * A pending refund is not recorded. A failed one may have been recorded as succeeded before, and records are never deleted: it
 * is recorded together with its return, which sum to zero.
 */
function movementsOfRefund(refund: Stripe.Refund, charge: string): readonly NewPayment[] {
  const { id, amount, currency, created, status } = refund;
  const references = { charge };
  const given = toPayment('refund', { id, amount: -amount, currency, created, references });
  if (status === 'succeeded') return [given];
  return status === 'failed' ? [given, toPayment('refund_failed', { id, amount, currency, created, references })] : [];
}

/** `created` is in seconds. */
type Movement = Pick<Required<NewPayment>, 'id' | 'amount' | 'currency' | 'references'> & { readonly created: number };

function toPayment(kind: NewPayment['kind'], { created, ...movement }: Movement): NewPayment {
  return { provider: 'stripe', kind, ...movement, occurredAt: created * MS_PER_SECOND };
}
