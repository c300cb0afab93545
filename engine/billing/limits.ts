import { DAY_MS } from '../../config/units.ts';

/** How long a plan continues after the payment of a renewal failed, in milliseconds. */
export const PAYMENT_GRACE_MS = 7 * DAY_MS;

/**
 * How long a plan continues without news of its renewal, in milliseconds. Webhooks arrive within minutes, and the daily
 * comparison with Stripe repairs missed ones; a longer outage must not lock out a paying account.
 */
export const UNCONFIRMED_RENEWAL_MS = 14 * DAY_MS;

/** An open checkout is no longer offered this long before it expires, in milliseconds. */
export const CHECKOUT_MARGIN_MS = 10 * 60 * 1_000;

/** How long the price list is cached, in milliseconds. */
export const PRICES_CACHE_MS = 5 * 60 * 1_000;

/** How long an event is kept, in milliseconds: longer than Stripe's 30 days, so a repeated one is recognised. */
export const EVENT_RETENTION_MS = 40 * DAY_MS;

/** How far back a comparison with Stripe looks for missed events, in milliseconds. Stripe keeps 30 days. */
export const EVENT_LOOKBACK_MS = 3 * DAY_MS;

/** An event not applied after this long gets another job, in milliseconds. */
export const EVENT_REQUEUE_AFTER_MS = 30 * 1_000;

/** How long an event gets further jobs, as Stripe repeats a webhook; after that its failed job waits for an operator. */
export const EVENT_RETRY_PERIOD_MS = 3 * DAY_MS;

/** Tolerated difference between a webhook's time and this process's clock, in seconds. */
export const SIGNATURE_TOLERANCE_S = 300;

/** Retries of a change after concurrent changes of the same account. */
export const MAX_CONFLICT_RETRIES = 24;

/** Timeout of one call to Stripe, and retries after a network failure. */
export const STRIPE_CALL_TIMEOUT_MS = 8_000;
export const STRIPE_CALL_RETRIES = 1;

/** Timeout of a call with queueing and retry. A later completion is harmless: calls that create carry an idempotency key. */
export const STRIPE_TOTAL_TIMEOUT_MS = 18_000;

/** Calls to Stripe of one process: concurrent, and queued. */
export const MAX_CONCURRENT_STRIPE_CALLS = 24;
export const MAX_QUEUED_STRIPE_CALLS = 100;

/** The circuit breaker of a payment service opens after this many consecutive failures, for this long, in milliseconds. */
export const CALL_FAILURES_TO_BREAK = 5;
export const CALL_BREAK_MS = 10_000;
