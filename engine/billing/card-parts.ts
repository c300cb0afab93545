import type { Stripe } from 'stripe';
import type { GuardedCall } from './guard-calls.ts';
import type { AccountStore } from './mongo/account-store.ts';
import type { EventStore } from './mongo/event-store.ts';
import type { Payments } from './payments.ts';
import type { BillingReport } from './report.ts';
import type { Catalogue } from './stripe/catalogue.ts';
import type { StripeGateway } from './stripe/gateway.ts';
import type { MoneyReader } from './stripe/money-reader.ts';

/** URLs to which Stripe's pages return. */
export interface ReturnAddresses {
  readonly success: string;
  readonly cancel: string;
  /** From the customer portal. */
  readonly portal: string;
}

/** What subscriptions by card need. */
export interface CardParts {
  readonly stripe: Stripe;
  readonly call: GuardedCall;
  readonly store: AccountStore;
  readonly events: EventStore;
  readonly gateway: StripeGateway;
  readonly catalogue: Catalogue;
  readonly money: MoneyReader;
  readonly payments: Payments;
  readonly returns: ReturnAddresses;
  readonly report: BillingReport;
  readonly clock: () => number;
  /** Called when an account's entitlement may have changed. */
  readonly onChange: (operator: number) => void;
}
