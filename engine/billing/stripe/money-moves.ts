import type { Stripe } from 'stripe';
import type { NewPayment } from '../payments/payment.ts';
import type { StripeCall } from './guard-calls.ts';
import { idOf, paymentIntentsOf } from './read-subscription.ts';

/** What moved, and whose customer it was; null when that is nobody's. */
export interface MoneyMoves {
  readonly customer: string | null;
  readonly moves: readonly NewPayment[];
}

/** What an event about money is about, read from Stripe's own objects as they are now. */
export interface MoneyReader {
  /** What was paid of an invoice; nothing while it is not paid, or when there was nothing to pay. */
  ofInvoice(id: string): Promise<MoneyMoves>;
  /** What went back of a charge. */
  ofCharge(id: string): Promise<MoneyMoves>;
  /** What went back of the charge of a refund: refunds may end days after they began. */
  ofRefund(id: string): Promise<MoneyMoves>;
  /** What a dispute took, and what winning it brought back. */
  ofDispute(id: string): Promise<MoneyMoves>;
}

const MS_PER_SECOND = 1_000;

/** Refunds of one charge that are looked at. */
const MAX_REFUNDS = 100;

export function createMoneyReader(stripe: Stripe, call: StripeCall): MoneyReader {
  return {
    ...createReturnsReader(stripe, call),
    async ofInvoice(id) {
      const expand = ['payments'];
      const invoice = await call('find_invoice', () => stripe.invoices.retrieve(id, { expand }));
      const { amount_paid: amount, currency, created, status, status_transitions } = invoice;
      const customer = invoice.customer === null ? null : idOf(invoice.customer);
      if (status !== 'paid' || amount === 0) return { customer, moves: [] };
      const subscription = invoice.parent?.subscription_details?.subscription;
      const references = {
        ...(invoice.number === null ? {} : { invoice_number: invoice.number }),
        ...(subscription === undefined ? {} : { subscription: idOf(subscription) }),
        ...named('payment_intent', paymentIntentsOf(invoice)[0]),
      };
      const occurredAt = (status_transitions.paid_at ?? created) * MS_PER_SECOND;
      const paid = { provider: 'stripe', kind: 'subscription', id, amount, currency, occurredAt, references } as const;
      return { customer, moves: [paid] };
    },
    async ofDispute(id) {
      const expand = ['charge'];
      const dispute = await call('find_dispute', () => stripe.disputes.retrieve(id, { expand }));
      const { amount, currency, created, status, charge } = dispute;
      const whose = typeof charge === 'string' ? null : charge.customer;
      const customer = whose === null ? null : idOf(whose);
      // A warning is a bank's question: no money has moved.
      if (status.startsWith('warning_')) return { customer, moves: [] };
      const references = { charge: idOf(charge), reason: dispute.reason };
      const taken = moved('dispute', { id, amount: -amount, currency, created, references });
      const won = moved('dispute_won', { id, amount, currency, created, references });
      return { customer, moves: status === 'won' ? [taken, won] : [taken] };
    },
  };
}

function createReturnsReader(stripe: Stripe, call: StripeCall): Pick<MoneyReader, 'ofCharge' | 'ofRefund'> {
  async function ofCharge(id: string): Promise<MoneyMoves> {
    const charge = await call('find_charge', () => stripe.charges.retrieve(id));
    const refunds = await call('list_refunds', () => stripe.refunds.list({ charge: id, limit: MAX_REFUNDS }));
    const moves = refunds.data.flatMap((refund) => movesOfRefund(refund, id));
    return { customer: charge.customer === null ? null : idOf(charge.customer), moves };
  }
  return {
    ofCharge,
    async ofRefund(id) {
      const { charge } = await call('find_refund', () => stripe.refunds.retrieve(id));
      return charge === null ? { customer: null, moves: [] } : ofCharge(idOf(charge));
    },
  };
}

/**
 * A refund that is pending is nothing yet. One that failed may have been known as succeeded, and is never unsaid: it is
 * recorded with its return, which is nothing together, whatever was known before.
 */
function movesOfRefund(refund: Stripe.Refund, charge: string): readonly NewPayment[] {
  const { id, amount, currency, created, status } = refund;
  const references = { charge };
  const given = moved('refund', { id, amount: -amount, currency, created, references });
  if (status === 'succeeded') return [given];
  return status === 'failed' ? [given, moved('refund_failed', { id, amount, currency, created, references })] : [];
}

interface Move {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  /** Seconds. */
  readonly created: number;
  readonly references: Readonly<Record<string, string>>;
}

function moved(kind: NewPayment['kind'], { created, ...move }: Move): NewPayment {
  return { provider: 'stripe', kind, ...move, occurredAt: created * MS_PER_SECOND };
}

function named(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: value };
}
