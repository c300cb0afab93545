import type { Stripe } from 'stripe';
import type { PaidPlan, Subscription } from '../subscriptions/subscription.ts';
import type { StripeCall } from './guard-calls.ts';
import { latestInvoice, paymentIntentsOf, readSubscription } from './read-subscription.ts';
import { isMissing } from './stripe-error.ts';

/** Whom a customer of Stripe's is: written there, so that a customer is never without an account. */
export interface CustomerAccount {
  readonly operator: number;
  /** The account's opaque subject. */
  readonly subject: string;
}

/** A page on which somebody pays. Times are milliseconds since the epoch. */
export interface Checkout {
  readonly session: string;
  readonly url: string;
  readonly expiresAt: number;
}

export interface CheckoutRequest extends CustomerAccount {
  readonly customer: string;
  readonly plan: PaidPlan;
  readonly price: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Requests with the same key make one page. */
  readonly key: string;
}

/** What we ask Stripe of customers and what they pay. All throw StripeUnavailable when there is no answer. */
export interface StripeGateway {
  /** Makes an account's customer: the same one when it is asked again within a day. */
  createCustomer(account: CustomerAccount, email: string | null): Promise<string>;
  /** Whose customer it is; null when it is gone, or was never ours. */
  accountOf(customer: string): Promise<CustomerAccount | null>;
  openCheckout(request: CheckoutRequest): Promise<Checkout>;
  /** Whether a page waits for its payment, was paid on, or is no use any more. */
  checkoutState(session: string): Promise<'open' | 'complete' | 'expired'>;
  /** Closes a page, so that nobody pays on it. Safe to repeat. */
  expireCheckout(session: string): Promise<void>;
  /** The address of a page on which a customer manages what it pays, good for a few minutes. */
  openPortal(customer: string, returnUrl: string): Promise<string>;
  /** All subscriptions of a customer as they are now; none when the customer is gone. */
  subscriptionsOf(customer: string): Promise<readonly Subscription[]>;
  /** Deletes a customer: its subscriptions end at once, its payments stay in Stripe's books. Safe to repeat. */
  deleteCustomer(customer: string): Promise<void>;
}

const MS_PER_SECOND = 1_000;

/** Subscriptions of one customer that are looked at. */
const MAX_SUBSCRIPTIONS = 20;

export function createGateway(stripe: Stripe, call: StripeCall): StripeGateway {
  const checkoutState: StripeGateway['checkoutState'] = async (session) => {
    const found = await orMissing(() => call('find_checkout', () => stripe.checkout.sessions.retrieve(session)));
    if (found?.status === 'open') return 'open';
    return found?.status === 'complete' ? 'complete' : 'expired';
  };
  return {
    async createCustomer(account, email) {
      const metadata = metadataOf(account);
      const params = email === null ? { metadata } : { metadata, email };
      const idempotencyKey = `upsilon-customer-${account.subject}-${email ?? ''}`;
      return (await call('create_customer', () => stripe.customers.create(params, { idempotencyKey }))).id;
    },
    async accountOf(customer) {
      const found = await orMissing(() => call('find_customer', () => stripe.customers.retrieve(customer)));
      return found === null || found.deleted === true ? null : readMetadata(found.metadata);
    },
    async openCheckout(request) {
      const { key: idempotencyKey } = request;
      const session = await call('open_checkout', () =>
        stripe.checkout.sessions.create(checkoutParams(request), { idempotencyKey }),
      );
      if (session.url === null) throw new Error(`the checkout ${session.id} has no address`);
      return { session: session.id, url: session.url, expiresAt: session.expires_at * MS_PER_SECOND };
    },
    checkoutState,
    async expireCheckout(session) {
      if ((await checkoutState(session)) !== 'open') return;
      await call('expire_checkout', () => stripe.checkout.sessions.expire(session));
    },
    async openPortal(customer, returnUrl) {
      const params = { customer, return_url: returnUrl };
      return (await call('open_portal', () => stripe.billingPortal.sessions.create(params))).url;
    },
    async subscriptionsOf(customer) {
      const expand = ['data.latest_invoice.payments'];
      const params = { customer, status: 'all', limit: MAX_SUBSCRIPTIONS, expand };
      const found = await orMissing(() => call('list_subscriptions', () => stripe.subscriptions.list(params)));
      const read: Subscription[] = [];
      for (const subscription of found?.data ?? []) {
        const state = readSubscription(subscription, await moneyBackOf(stripe, call, subscription));
        if (state !== null) read.push(state);
      }
      // An order of our own, so that two readings of the same are the same.
      return read.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    },
    async deleteCustomer(customer) {
      await orMissing(() => call('delete_customer', () => stripe.customers.del(customer)));
    },
  };
}

/** Whether what paid for a subscription's present period went back. Refunds in part are no end of it. */
async function moneyBackOf(
  stripe: Stripe,
  call: StripeCall,
  subscription: Stripe.Subscription,
): Promise<Subscription['moneyBack']> {
  for (const payment_intent of paymentIntentsOf(latestInvoice(subscription))) {
    const { data: charges } = await call('list_charges', () => stripe.charges.list({ payment_intent, limit: 10 }));
    if (charges.some(({ refunded }) => refunded)) return 'refunded';
    if (!charges.some(({ disputed }) => disputed)) continue;
    const { data: disputes } = await call('list_disputes', () => stripe.disputes.list({ payment_intent, limit: 10 }));
    if (disputes.some(({ status }) => status === 'lost')) return 'dispute_lost';
  }
  return null;
}

function checkoutParams(request: CheckoutRequest): Stripe.Checkout.SessionCreateParams {
  const { customer, price, successUrl, cancelUrl, subject } = request;
  return {
    mode: 'subscription',
    customer,
    client_reference_id: subject,
    line_items: [{ price, quantity: 1 }],
    success_url: successUrl,
    cancel_url: cancelUrl,
    subscription_data: { metadata: metadataOf(request) },
  };
}

function metadataOf({ operator, subject }: CustomerAccount): { upsilon_operator: string; upsilon_subject: string } {
  return { upsilon_operator: String(operator), upsilon_subject: subject };
}

function readMetadata(metadata: Readonly<Record<string, string>>): CustomerAccount | null {
  const { upsilon_operator: operator = '', upsilon_subject: subject = '' } = metadata;
  return /^[1-9]\d{0,14}$/.test(operator) && subject !== '' ? { operator: Number(operator), subject } : null;
}

async function orMissing<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
