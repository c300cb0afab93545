import type { BillingConfig } from '../../config/billing.ts';
import type { Connection } from '../mongo/index.ts';
import type { AccountStore } from './mongo/account-store.ts';
import { createEventStore } from './mongo/event-store.ts';
import type { BillingModels } from './mongo/models.ts';
import type { Payments } from './payments.ts';
import type { BillingReport } from './report.ts';
import { createCatalogue } from './stripe/catalogue.ts';
import { createGateway } from './stripe/gateway.ts';
import { createMoneyReader } from './stripe/money-reader.ts';
import { guardStripe, openStripe } from './stripe/open-stripe.ts';

/** URLs to which Stripe's pages return. */
export interface ReturnAddresses {
  readonly success: string;
  readonly cancel: string;
  /** From the customer portal. */
  readonly portal: string;
}

export interface BillingOptions {
  /** Connected. The caller closes it. */
  readonly connection: Connection;
  /** How subscriptions are paid. Without it, or without Stripe in it, subscriptions are not offered. */
  readonly card?: {
    readonly config: BillingConfig;
    readonly returns: ReturnAddresses;
    /** Timeout of one call to Stripe, in milliseconds. */
    readonly callTimeoutMs?: number | undefined;
  };
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly report?: BillingReport | null;
  /** Called when an account's entitlement may have changed. */
  readonly onChange?: (operator: number) => void;
}

/** What subscriptions by card need. */
export type CardParts = NonNullable<ReturnType<typeof openCardParts>>;

/** Null without Stripe. Makes no call to it. */
export function openCardParts(options: BillingOptions, models: BillingModels, store: AccountStore, payments: Payments) {
  const { clock = Date.now, report = null, onChange = () => undefined } = options;
  if (options.card === undefined || options.card.config.stripe === null) return null;
  const { config, returns, callTimeoutMs } = options.card;
  const { webhookSecrets, ...place } = options.card.config.stripe;
  const stripe = openStripe(place, callTimeoutMs);
  const call = guardStripe(report);
  return {
    stripe,
    call,
    store,
    events: createEventStore(models),
    gateway: createGateway(stripe, call),
    catalogue: createCatalogue(stripe, call, config.prices, clock),
    money: createMoneyReader(stripe, call),
    payments,
    webhookSecrets,
    returns,
    report,
    clock,
    onChange,
  };
}
