import { createHash } from 'node:crypto';
import { singleFlight } from '../../../config/single-flight.ts';
import type { CardParts } from '../card-parts.ts';
import { CHECKOUT_MARGIN_MS, MAX_CONFLICT_RETRIES } from '../limits.ts';
import type { BillingAccount } from '../mongo/account-store.ts';
import type { PaidPlan } from '../types.ts';
import { isLive, type RefreshAccount } from './refresh-account.ts';

interface SubscribeRequest {
  readonly operator: number;
  /** The account's opaque subject. */
  readonly subject: string;
  /** Address for receipts; null lets the customer enter one. */
  readonly email: string | null;
  readonly plan: PaidPlan;
}

type SubscribeOutcome =
  | { readonly kind: 'checkout'; readonly url: string; readonly plan: PaidPlan }
  /** The account has a live subscription, which is changed in the customer portal. */
  | { readonly kind: 'subscribed' }
  /** The account is being erased. */
  | { readonly kind: 'gone' };

/**
 * Returns an account's checkout page: the existing one while it is valid, so repeated clicks lead to one page, and none while a
 * subscription is live. Stripe is read first, because a webhook may have been lost.
 * @throws StripeUnavailableError, PricesNotSetUpError
 */
export function createSubscribe(parts: CardParts, refresh: RefreshAccount) {
  const join = singleFlight<SubscribeOutcome>();
  // Concurrent clicks share one result.
  return (request: SubscribeRequest): Promise<SubscribeOutcome> =>
    join(() => subscribe(parts, refresh, request), `${request.operator} ${request.plan}`);
}

async function subscribe(
  parts: CardParts,
  refresh: RefreshAccount,
  request: SubscribeRequest,
): Promise<SubscribeOutcome> {
  const { store, catalogue, gateway } = parts;
  const { operator, plan } = request;
  await store.ensure(request);
  const price = await catalogue.priceOf(plan);
  for (let attempt = 0; attempt < MAX_CONFLICT_RETRIES; attempt += 1) {
    await refresh(operator);
    const account = await store.find(operator);
    if (account === null || account.forgotten) return { kind: 'gone' };
    if (account.subscriptions.some(isLive)) return { kind: 'subscribed' };
    if (account.customer === null) {
      await store.change(account, { customer: await gateway.createCustomer(account, request.email) });
      continue;
    }
    const url = await offerCheckout({ ...account, customer: account.customer }, { plan, price }, parts);
    if (url !== null) return { kind: 'checkout', url, plan };
  }
  throw new Error(`could not open a checkout for operator ${operator}: too many concurrent changes`);
}

/** URL of the account's checkout page; null when the account has changed meanwhile. */
async function offerCheckout(
  account: BillingAccount & { readonly customer: string },
  { plan, price }: { readonly plan: PaidPlan; readonly price: string },
  { store, gateway, returns, clock }: CardParts,
): Promise<string | null> {
  const { checkout, operator, subject, customer, revision } = account;
  if (checkout !== null) {
    const state = await gateway.checkoutState(checkout.session);
    if (state === 'complete') {
      // Paid since the last read: the next attempt reads the new subscription.
      await store.change(account, { checkout: null });
      return null;
    }
    const isValid = checkout.plan === plan && clock() < checkout.expiresAt - CHECKOUT_MARGIN_MS;
    if (state === 'open' && isValid) return checkout.url;
    await gateway.expireCheckout(checkout.session);
  }
  const { success: successUrl, cancel: cancelUrl } = returns;
  // The key contains the revision that was read: concurrent requests get one page, later ones another.
  const parts = [subject, customer, revision, price, successUrl, cancelUrl].join('\n');
  const key = `upsilon-checkout-${createHash('sha256').update(parts).digest('base64url')}`;
  const opened = await gateway.openCheckout({ customer, operator, subject, plan, price, successUrl, cancelUrl, key });
  if (await store.change(account, { checkout: { ...opened, plan } })) return opened.url;
  const now = await store.find(operator);
  if (now?.checkout?.session === opened.session) return opened.url;
  await gateway.expireCheckout(opened.session);
  return null;
}
