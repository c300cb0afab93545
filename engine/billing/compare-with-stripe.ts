import type { Stripe } from 'stripe';
import { MS_PER_SECOND } from '../../config/units.ts';
import type { CardParts } from './card-parts.ts';
import type { ApplyEvent } from './events/apply-event.ts';
import { MONEY_BY_TYPE } from './events/event-types.ts';
import { readEvent } from './events/read-event.ts';
import { EVENT_LOOKBACK_MS } from './limits.ts';
import type { AccountStore } from './mongo/account-store.ts';
import type { BillingEvent } from './mongo/event-store.ts';
import { StripeUnavailableError } from './stripe/stripe-error.ts';
import type { RefreshAccount } from './subscriptions/refresh-account.ts';

const EVENTS_PER_PAGE = 100;

/** Low, so that a comparison leaves most of the concurrent calls to requests. */
const MAX_CONCURRENT_REFRESHES = 8;

/** Newer events are left out: their webhook may still arrive. */
const EVENT_MIN_AGE_MS = 60 * MS_PER_SECOND;

/**
 * Compares the stored data with Stripe's: first the accounts, then the events of the last days, of which missed ones are
 * applied. Safe to repeat and to interrupt. Returns the differences that it found and repaired.
 */
export function createComparison(parts: CardParts, apply: ApplyEvent, refresh: RefreshAccount) {
  const { store, events, report, clock } = parts;
  return async () => {
    const { accounts, differingAccounts, failures } = await refreshAll(store, refresh);
    /** Events of which no webhook arrived. */
    let missedEvents = 0;
    for await (const event of listEvents(parts)) {
      if (!(await events.insert(event, clock()))) continue;
      missedEvents += 1;
      await apply(event.id);
    }
    report?.differs('subscription_differs', differingAccounts);
    report?.differs('event_missed', missedEvents);
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} accounts could not be compared`);
    report?.compared(accounts);
    return { accounts, missedEvents, differingAccounts };
  };
}

/** Refreshes every account. A failure of one does not stop the others, unless Stripe is unavailable. */
async function refreshAll(store: AccountStore, refresh: RefreshAccount) {
  const failures: unknown[] = [];
  let accounts = 0;
  /** Accounts whose stored subscriptions differed from Stripe's. */
  let differingAccounts = 0;
  const refreshOne = async (operator: number): Promise<void> => {
    try {
      if ((await refresh(operator)).changed) differingAccounts += 1;
    } catch (error) {
      if (error instanceof StripeUnavailableError) throw error;
      failures.push(error);
    }
  };
  let batch: number[] = [];
  const refreshBatch = async (): Promise<void> => {
    accounts += batch.length;
    await Promise.all(batch.map(refreshOne));
    batch = [];
  };
  for await (const { operator } of store.withCustomer()) {
    batch.push(operator);
    if (batch.length === MAX_CONCURRENT_REFRESHES) await refreshBatch();
  }
  await refreshBatch();
  return { accounts, differingAccounts, failures };
}

async function* listEvents({ stripe, call, clock }: CardParts): AsyncIterable<BillingEvent> {
  const now = clock();
  const created = {
    gte: Math.floor((now - EVENT_LOOKBACK_MS) / MS_PER_SECOND),
    lte: Math.floor((now - EVENT_MIN_AGE_MS) / MS_PER_SECOND),
  };
  let after: string | null = null;
  for (;;) {
    const page: Stripe.EventListParams = {
      created,
      types: Object.keys(MONEY_BY_TYPE),
      limit: EVENTS_PER_PAGE,
      ...(after === null ? {} : { starting_after: after }),
    };
    const { data, has_more } = await call('list_events', () => stripe.events.list(page));
    for (const event of data) {
      const read = readEvent(event);
      if (read !== null) yield read;
    }
    const last = data.at(-1);
    if (!has_more || last === undefined) return;
    after = last.id;
  }
}
