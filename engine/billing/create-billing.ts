import type { ServiceConfig } from '../../config/config.ts';
import { ensureStored } from '../mongo/index.ts';
import { type BillingOptions, type CardParts, openCardParts, type ReturnAddresses } from './card-parts.ts';
import { createComparison } from './compare-with-stripe.ts';
import { createApplyEvent } from './events/apply-event.ts';
import { createEvents } from './events/create-events.ts';
import { createAccountStore } from './mongo/account-store.ts';
import { openBillingModels } from './mongo/models.ts';
import { createPayments } from './payments.ts';
import { StripeUnavailableError } from './stripe/stripe-error.ts';
import { createRefresh } from './subscriptions/refresh-account.ts';
import { createSubscribe } from './subscriptions/subscribe.ts';

/** Plans, subscriptions and payment records. */
export type Billing = ReturnType<typeof createBilling>;

/** Subscriptions by card, when Stripe is configured. */
export type CardBilling = NonNullable<Billing['card']>;

/** Opens billing with its indexes, with the return addresses of this service. */
export async function openBilling({ config, ...options }: OpenBillingOptions): Promise<Billing> {
  const billing = createBilling({ ...options, card: { config: config.billing, returns: returnsOf(config) } });
  await billing.ensureIndexes();
  return billing;
}

interface OpenBillingOptions extends Omit<BillingOptions, 'card'> {
  readonly config: Pick<ServiceConfig, 'billing' | 'loginUrl'>;
}

function returnsOf({ loginUrl }: OpenBillingOptions['config']): ReturnAddresses {
  const account = `${loginUrl}/account`;
  return { success: `${account}/subscribed`, cancel: `${account}/plan`, portal: account };
}

/** Billing over a connected MongoDB connection. Creating it makes no call to Stripe. */
export function createBilling(options: BillingOptions) {
  const { connection, onChange = () => undefined } = options;
  const models = openBillingModels(connection);
  const store = createAccountStore(models);
  const payments = createPayments(models);
  return {
    payments,
    /** Null without Stripe: subscriptions are not offered. */
    card: createCard(openCardParts(options, models, store, payments)),
    /** The stored subscriptions of an account. */
    subscriptionsOf: async (operator: number) => {
      const account = await store.find(operator);
      return account === null || account.forgotten ? [] : account.subscriptions;
    },
    /** Repeatable. Payment records lose their subject, the subscription ends, `deleteForgotten` deletes the customer. */
    forget: async (operator: number): Promise<void> => {
      const account = await store.forget(operator);
      if (account === null) return;
      await payments.forget(account.subject);
      if (account.customer === null) await store.remove(operator);
      onChange(operator);
    },
    /** Creates the indexes that correctness depends on; call it before anything else. Safe to repeat. */
    ensureIndexes: () => ensureStored(Object.values(models)),
  };
}

function createCard(parts: CardParts | null) {
  if (parts === null) return null;
  const { store, gateway, catalogue, returns } = parts;
  const refresh = createRefresh(parts);
  const apply = createApplyEvent(parts, refresh);
  return {
    /** @throws StripeUnavailableError, PricesNotSetUpError */
    subscribe: createSubscribe(parts, refresh),
    setUp: () => catalogue.setUp(),
    /** Reads an account's subscriptions from Stripe. @throws StripeUnavailableError */
    refresh,
    events: createEvents(parts, apply),
    /** Compares the stored data with Stripe's and repairs it. @throws StripeUnavailableError */
    compare: createComparison(parts, apply, refresh),
    /** URL of a page on which an account manages its subscription; null without a customer. @throws StripeUnavailableError */
    async portal(operator: number): Promise<string | null> {
      const account = await store.find(operator);
      if (account === null || account.customer === null || account.forgotten) return null;
      return gateway.openPortal(account.customer, returns.portal);
    },
    /** Deletes the customers of forgotten accounts at Stripe. @throws StripeUnavailableError */
    deleteForgotten: () => deleteForgotten(parts),
  };
}

/** Deletes the customer first: until that succeeds, the account stays to be retried. A refusal of one does not stop the others. */
async function deleteForgotten({ store, gateway, payments }: CardParts): Promise<void> {
  const refusals: unknown[] = [];
  for (const { operator, subject, customer } of await store.forgotten()) {
    try {
      if (customer !== null) await gateway.deleteCustomer(customer);
    } catch (error) {
      if (error instanceof StripeUnavailableError) throw error;
      refusals.push(error);
      continue;
    }
    await payments.forget(subject);
    await store.remove(operator);
  }
  if (refusals.length > 0) throw new AggregateError(refusals, `${refusals.length} customers could not be deleted`);
}
