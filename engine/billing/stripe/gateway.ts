import type { Stripe } from 'stripe';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { GuardedCall } from '../guard-calls.ts';
import type { Checkout, CustomerAccount, PaidPlan, Subscription } from '../types.ts';
import { latestInvoice, paymentIntentsOf, readSubscription } from './read-subscription.ts';
import { orMissing } from './stripe-error.ts';

interface CheckoutRequest extends CustomerAccount {
  readonly customer: string;
  readonly plan: PaidPlan;
  readonly price: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Idempotency key: requests with the same key get the same page. */
  readonly key: string;
}

const MAX_SUBSCRIPTIONS = 20;

/** Calls to Stripe about customers and subscriptions. All throw StripeUnavailableError when Stripe does not respond. */
export function createGateway(stripe: Stripe, call: GuardedCall) {
  /** Whether a page is open, paid or expired. */
  const checkoutState = async (session: string): Promise<'open' | 'complete' | 'expired'> => {
    const found = await orMissing(() => call('find_checkout', () => stripe.checkout.sessions.retrieve(session)));
    if (found?.status === 'open') return 'open';
    return found?.status === 'complete' ? 'complete' : 'expired';
  };
  return {
    /** Creates an account's customer; a repeated call within a day returns the same one. */
    async createCustomer(account: CustomerAccount, email: string | null): Promise<string> {
      const metadata = metadataOf(account);
      const params = email === null ? { metadata } : { metadata, email };
      const idempotencyKey = `upsilon-customer-${account.subject}-${email ?? ''}`;
      return (await call('create_customer', () => stripe.customers.create(params, { idempotencyKey }))).id;
    },

    /** The account of a customer; null when the customer is deleted or has no account. */
    async accountOf(customer: string): Promise<CustomerAccount | null> {
      const found = await orMissing(() => call('find_customer', () => stripe.customers.retrieve(customer)));
      return found === null || found.deleted === true ? null : readMetadata(found.metadata);
    },

    async openCheckout(request: CheckoutRequest): Promise<Checkout> {
      const { key: idempotencyKey } = request;
      const session = await call('open_checkout', () =>
        stripe.checkout.sessions.create(checkoutParams(request), { idempotencyKey }),
      );
      if (session.url === null) throw new Error(`the checkout ${session.id} has no URL`);
      return { session: session.id, url: session.url, expiresAt: session.expires_at * MS_PER_SECOND };
    },

    checkoutState,

    /** Closes a page. Safe to repeat. */
    async expireCheckout(session: string): Promise<void> {
      if ((await checkoutState(session)) !== 'open') return;
      await call('expire_checkout', () => stripe.checkout.sessions.expire(session));
    },

    /** URL of a page on which a customer manages its subscriptions, valid for a few minutes. */
    async openPortal(customer: string, returnUrl: string): Promise<string> {
      const params = { customer, return_url: returnUrl };
      return (await call('open_portal', () => stripe.billingPortal.sessions.create(params))).url;
    },

    /** The current subscriptions of a customer; none when the customer is deleted. */
    async subscriptionsOf(customer: string): Promise<readonly Subscription[]> {
      const expand = ['data.latest_invoice.payments'];
      const params = { customer, status: 'all', limit: MAX_SUBSCRIPTIONS, expand };
      const found = await orMissing(() => call('list_subscriptions', () => stripe.subscriptions.list(params)));
      const read: Subscription[] = [];
      for (const subscription of found?.data ?? []) {
        const state = readSubscription(subscription, await moneyBackOf(stripe, call, subscription));
        if (state !== null) read.push(state);
      }
      // Sorted, so that two reads of unchanged subscriptions are equal.
      return read.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    },

    /** Deletes a customer: its subscriptions end at once, its payments remain at Stripe. Safe to repeat. */
    async deleteCustomer(customer: string): Promise<void> {
      await orMissing(() => call('delete_customer', () => stripe.customers.del(customer)));
    },
  };
}

/** Whether the payment of a subscription's current period was returned. Partial refunds do not count. */
async function moneyBackOf(
  stripe: Stripe,
  call: GuardedCall,
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
