import { createHash } from 'node:crypto';
import { CHECKOUT_MARGIN_MS, MAX_LOST_RACES } from '../limits.ts';
import type { AccountStore, BillingAccount } from '../mongo/account-store.ts';
import type { Catalogue } from '../stripe/catalogue.ts';
import type { StripeGateway } from '../stripe/gateway.ts';
import type { RefreshAccount } from './refresh-account.ts';
import { isLive, type PaidPlan } from './subscription.ts';

/** Where Stripe's pages lead when they are done. */
export interface ReturnAddresses {
  readonly success: string;
  readonly cancel: string;
  /** From the page on which a subscription is managed. */
  readonly portal: string;
}

export interface SubscribeRequest {
  readonly operator: number;
  /** The account's opaque subject. */
  readonly subject: string;
  /** Where receipts go; null leaves it to the customer. */
  readonly email: string | null;
  readonly plan: PaidPlan;
}

export type SubscribeOutcome =
  | { readonly kind: 'checkout'; readonly url: string; readonly plan: PaidPlan }
  /** The account pays, or owes, already: what it has is changed on the page that manages it. */
  | { readonly kind: 'subscribed' }
  /** The account is being erased. */
  | { readonly kind: 'gone' };

export interface SubscribeOptions {
  readonly store: AccountStore;
  readonly gateway: StripeGateway;
  readonly catalogue: Catalogue;
  readonly refresh: RefreshAccount;
  readonly returns: ReturnAddresses;
  readonly clock: () => number;
}

/**
 * Gives an account a page on which to pay: the one it has while that is good, so that repeated clicks lead to one page,
 * and never a second subscription beside one that lives. What Stripe says is asked first: a webhook may have been lost.
 *
 * @throws StripeUnavailable, PricesNotSetUp
 */
export function createSubscribe(options: SubscribeOptions): (request: SubscribeRequest) => Promise<SubscribeOutcome> {
  const underWay = new Map<string, Promise<SubscribeOutcome>>();
  return (request) => {
    // Clicks at one moment are one wish: they share its answer instead of racing each other.
    const name = `${request.operator} ${request.plan}`;
    const known = underWay.get(name);
    if (known !== undefined) return known;
    const outcome = subscribe(options, request).finally(() => underWay.delete(name));
    underWay.set(name, outcome);
    return outcome;
  };
}

async function subscribe(options: SubscribeOptions, request: SubscribeRequest): Promise<SubscribeOutcome> {
  const { store, catalogue, refresh, gateway } = options;
  const { operator, plan } = request;
  await store.ensure(request);
  const price = await catalogue.priceOf(plan);
  for (let race = 0; race < MAX_LOST_RACES; race += 1) {
    await refresh(operator);
    const account = await store.find(operator);
    if (account === null || account.forgotten) return { kind: 'gone' };
    if (account.subscriptions.some(isLive)) return { kind: 'subscribed' };
    if (account.customer === null) {
      await store.change(account, { customer: await gateway.createCustomer(account, request.email) });
      continue;
    }
    const url = await offerCheckout({ ...account, customer: account.customer }, { plan, price }, options);
    if (url !== null) return { kind: 'checkout', url, plan };
  }
  throw new Error(`the billing account of operator ${operator} changes too often to subscribe`);
}

/** The address of a page that is the account's own; null when the account has changed meanwhile. */
async function offerCheckout(
  account: BillingAccount & { readonly customer: string },
  { plan, price }: { readonly plan: PaidPlan; readonly price: string },
  { store, gateway, returns, clock }: SubscribeOptions,
): Promise<string | null> {
  const { checkout, operator, subject, customer, revision } = account;
  if (checkout !== null) {
    const state = await gateway.checkoutState(checkout.session);
    if (state === 'complete') {
      // Paid a moment ago: the list of subscriptions is asked for again, and has it by now.
      await store.change(account, { checkout: null });
      return null;
    }
    const isGood = checkout.plan === plan && clock() < checkout.expiresAt - CHECKOUT_MARGIN_MS;
    if (state === 'open' && isGood) return checkout.url;
    await gateway.expireCheckout(checkout.session);
  }
  const { success: successUrl, cancel: cancelUrl } = returns;
  // The key names the account as it was read: those who click at one moment get one page, and later ones another.
  const parts = [subject, customer, revision, price, successUrl, cancelUrl].join('\n');
  const key = `upsilon-checkout-${createHash('sha256').update(parts).digest('base64url')}`;
  const opened = await gateway.openCheckout({ customer, operator, subject, plan, price, successUrl, cancelUrl, key });
  if (await store.change(account, { checkout: { ...opened, plan } })) return opened.url;
  const now = await store.find(operator);
  if (now?.checkout?.session === opened.session) return opened.url;
  await gateway.expireCheckout(opened.session);
  return null;
}
