import mongoose from 'mongoose';
import { type Billing, type CardBilling, createBilling } from '../../../engine/billing/index.ts';
import type { BillingReport } from '../../../engine/billing/report.ts';
import { emptyDatabase, returnDatabase } from '../../support/engines.ts';
import { StripeStandIn } from '../../support/stripe/stripe-stand-in.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');

const RETURNS = {
  success: 'http://upsilon.test/account/subscribed',
  cancel: 'http://upsilon.test/account/plan',
  portal: 'http://upsilon.test/account',
};

/** Billing on a separate database, with a Stripe test server and a clock that the test sets. */
export interface BillingUnderTest {
  readonly billing: Billing;
  readonly card: CardBilling;
  readonly stripe: StripeStandIn;
  /** Operators for whom `onChange` was called. */
  readonly changed: number[];
  /** What was reported: the name and the first argument. */
  readonly reported: string[];
  /** Milliseconds since the epoch. */
  now: number;
  /** The same billing as another process would open it. */
  another(): CardBilling;
  close(): Promise<void>;
}

export async function openBilling(): Promise<BillingUnderTest> {
  const { mongoUrl } = await emptyDatabase();
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  const clock = (): number => opened.now;
  const stripe = await StripeStandIn.open(clock);
  const changed: number[] = [];
  const reported: string[] = [];
  const open = (): Billing =>
    createBilling({
      connection,
      clock,
      card: { config: stripe.billing(), returns: RETURNS },
      report: reportTo(reported),
      onChange: (operator) => void changed.push(operator),
    });
  const billing = open();
  const opened: BillingUnderTest = {
    billing,
    card: cardOf(billing),
    stripe,
    changed,
    reported,
    now: START,
    another: () => cardOf(open()),
    close: async () => {
      await stripe[Symbol.asyncDispose]();
      await returnDatabase(connection);
      await connection.close();
    },
  };
  await billing.ensureIndexes();
  return opened;
}

/** Has an operator pay the monthly plan; returns the id of its subscription. Stripe's events about it are not delivered yet. */
export async function subscribe({ card, stripe }: BillingUnderTest, operator: number): Promise<string> {
  const wish = { operator, subject: `subject-${operator}`, email: null, plan: 'monthly' } as const;
  const outcome = await card.subscribe(wish);
  const session = outcome.kind === 'checkout' ? (outcome.url.split('/').at(-1) ?? '') : '';
  return stripe.actions.pay(session).id;
}

function cardOf({ card }: Billing): CardBilling {
  if (card === null) throw new Error('Stripe is not set up');
  return card;
}

function reportTo(reported: string[]): BillingReport {
  return {
    stripeCalled: (operation, outcome) => void (outcome === 'broken' && reported.push(`${operation} ${outcome}`)),
    stripeBreaker: (open) => void reported.push(`breaker ${open ? 'open' : 'closed'}`),
    webhook: (outcome) => void reported.push(`webhook ${outcome}`),
    applied: (type) => void reported.push(`applied ${type}`),
    unapplied: (events) => void reported.push(`unapplied ${events}`),
    recorded: (kind) => void reported.push(`recorded ${kind}`),
    differs: (difference, count) => void (count > 0 && reported.push(`differs ${difference} ${count}`)),
    compared: () => undefined,
  };
}
