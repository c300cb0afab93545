import type { BillingConfig } from '../../config/billing.ts';
import type { Connection } from '../mongo/index.ts';
import { type Comparison, createComparison } from './compare-with-stripe.ts';
import { createApplyEvent } from './events/apply-event.ts';
import { type BillingEvents, createEvents } from './events/create-events.ts';
import { createAccountStore } from './mongo/account-store.ts';
import { ensureBillingIndexes, openCollections } from './mongo/collections.ts';
import { createEventStore } from './mongo/event-store.ts';
import { createPaymentStore } from './mongo/payment-store.ts';
import { createPayments } from './payments/create-payments.ts';
import type { Payments } from './payments/payment.ts';
import { type BillingReport, SILENT_REPORT } from './report.ts';
import { type Catalogue, createCatalogue } from './stripe/catalogue.ts';
import { createGateway, type StripeGateway } from './stripe/gateway.ts';
import { guardCalls } from './stripe/guard-calls.ts';
import { createMoneyReader } from './stripe/money-moves.ts';
import { openStripe } from './stripe/open-stripe.ts';
import { createRefresh, type RefreshAccount } from './subscriptions/refresh-account.ts';
import { createSubscribe, type ReturnAddresses } from './subscriptions/subscribe.ts';
import type { Subscription } from './subscriptions/subscription.ts';

/** Subscriptions by card, where Stripe is set up. */
export interface CardBilling extends Pick<Catalogue, 'setUp'> {
  /** @throws StripeUnavailable, PricesNotSetUp */
  readonly subscribe: ReturnType<typeof createSubscribe>;
  /** A page on which an account manages what it pays; null when it never began to. @throws StripeUnavailable */
  portal(operator: number): Promise<string | null>;
  /** Reads anew what Stripe says of an account. @throws StripeUnavailable */
  readonly refresh: RefreshAccount;
  readonly events: BillingEvents;
  /** Compares with Stripe, and repairs. @throws StripeUnavailable */
  readonly compare: () => Promise<Comparison>;
  /** Deletes the customers of accounts that are to be forgotten. @throws StripeUnavailable */
  readonly deleteForgotten: () => Promise<void>;
}

/** Plans, subscriptions and money. */
export interface Billing {
  readonly payments: Payments;
  /** Null: nobody can subscribe. */
  readonly card: CardBilling | null;
  /** What is known of an account's subscriptions; none for one that never subscribed. */
  readonly subscriptionsOf: (operator: number) => Promise<readonly Subscription[]>;
  /**
   * Forgets an account: its payments stay without it, its subscription ends, and its customer is deleted at Stripe by the
   * next `deleteForgotten`. Safe to repeat.
   */
  readonly forget: (operator: number) => Promise<void>;
  /** Creates the indexes that correctness rests on; to be called before anything else is. Safe to repeat. */
  ensureIndexes(): Promise<void>;
}

export interface BillingOptions {
  /** Connected, and its opener's to close. */
  readonly connection: Connection;
  /** How subscriptions are paid; without it, or without Stripe in it, nobody can subscribe. */
  readonly card?: {
    readonly config: BillingConfig;
    readonly returns: ReturnAddresses;
    /** How long one call to Stripe may take, in milliseconds. */
    readonly callTimeoutMs?: number | undefined;
  };
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly report?: BillingReport;
  /** Told when what an account may do may have changed. */
  readonly onChange?: (operator: number) => void;
}

/** Billing over a connected MongoDB connection. Opens nothing: Stripe is asked when there is something to ask. */
export function createBilling(options: BillingOptions): Billing {
  const { connection, onChange = () => undefined } = options;
  const collections = openCollections(connection);
  const store = createAccountStore(collections);
  const payments = createPayments(createPaymentStore(collections));
  return {
    payments,
    card: createCard(options, { store, payments, events: createEventStore(collections) }),
    subscriptionsOf: async (operator) => {
      const account = await store.find(operator);
      return account === null || account.forgotten ? [] : account.subscriptions;
    },
    async forget(operator) {
      const account = await store.forget(operator);
      if (account === null) return;
      await payments.forget(account.subject);
      if (account.customer === null) await store.remove(operator);
      onChange(operator);
    },
    ensureIndexes: () => ensureBillingIndexes(connection),
  };
}

interface Stores {
  readonly store: ReturnType<typeof createAccountStore>;
  readonly events: ReturnType<typeof createEventStore>;
  readonly payments: Payments;
}

function createCard(options: BillingOptions, { store, events, payments }: Stores): CardBilling | null {
  const { clock = Date.now, report = SILENT_REPORT, onChange = () => undefined } = options;
  if (options.card === undefined || options.card.config.stripe === null) return null;
  const { config, returns, callTimeoutMs } = options.card;
  const { webhookSecrets: secrets, ...place } = options.card.config.stripe;
  const stripe = openStripe(place, callTimeoutMs);
  const call = guardCalls(report);
  const gateway = createGateway(stripe, call);
  const catalogue = createCatalogue({ stripe, call, prices: config.prices, clock });
  const refresh = createRefresh({ store, gateway, onChange });
  const money = createMoneyReader(stripe, call);
  const apply = createApplyEvent({ events, store, gateway, money, payments, refresh, report, clock });
  return {
    subscribe: createSubscribe({ store, gateway, catalogue, refresh, returns, clock }),
    setUp: () => catalogue.setUp(),
    refresh,
    events: createEvents({ webhooks: stripe.webhooks, secrets, events, apply, report, clock }),
    compare: createComparison({ stripe, call, store, events, apply, refresh, report, clock }),
    async portal(operator) {
      const account = await store.find(operator);
      if (account === null || account.customer === null || account.forgotten) return null;
      return gateway.openPortal(account.customer, returns.portal);
    },
    deleteForgotten: () => deleteForgotten(store, gateway, payments),
  };
}

/** The customer first: while it is there, the account is kept to say that it has to go. */
async function deleteForgotten(
  store: Stores['store'],
  gateway: StripeGateway,
  payments: Pick<Payments, 'forget'>,
): Promise<void> {
  for (const { operator, subject, customer } of await store.forgotten()) {
    if (customer !== null) await gateway.deleteCustomer(customer);
    await payments.forget(subject);
    await store.remove(operator);
  }
}
