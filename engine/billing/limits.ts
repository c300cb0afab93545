const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long a plan goes on after a renewal could not be paid, in milliseconds. */
export const PAYMENT_GRACE_MS = 7 * DAY_MS;

/**
 * How long a plan whose renewal we have not heard of goes on, in milliseconds. News arrives within minutes; a day's
 * comparison with Stripe heals what was lost. Whoever paid is not shut out because we were deaf.
 */
export const RENEWAL_NEWS_MS = 14 * DAY_MS;

/** How long before its end an open checkout is not handed out any more, in milliseconds. */
export const CHECKOUT_MARGIN_MS = 10 * 60 * 1_000;

/** How long a prices' answer of Stripe is believed, in milliseconds. */
export const PRICES_MEMORY_MS = 5 * 60 * 1_000;

/** An event that was applied is remembered for longer than Stripe tells of it, in milliseconds. */
export const EVENT_RETENTION_MS = 40 * DAY_MS;

/** How far back a comparison with Stripe looks for events that never came, in milliseconds. Stripe keeps 30 days. */
export const EVENT_LOOKBACK_MS = 3 * DAY_MS;

/** How long an event may wait for its job before it is given another, in milliseconds. */
export const EVENT_PATIENCE_MS = 30 * 1_000;

/**
 * How long after it came an event is given further jobs when its own fail, in milliseconds: as long as Stripe itself goes on
 * telling. After that its failed job waits for an operator.
 */
export const EVENT_TRIES_MS = 3 * DAY_MS;

/** How far a webhook's own time may be from ours, in seconds. */
export const SIGNATURE_TOLERANCE_S = 300;

/** Changes of an account by others that one change yields to before it gives up. */
export const MAX_LOST_RACES = 24;

/** Calls to Stripe: how long one may take, and how often it is repeated after a failure of the network. */
export const STRIPE_CALL_TIMEOUT_MS = 8_000;
export const STRIPE_CALL_RETRIES = 1;

/**
 * How long a call is waited for in all, its turn and its repetition included, in milliseconds. What still happens at Stripe
 * afterwards does no harm: what makes something there has a key of its own, and the next try finds it.
 */
export const STRIPE_WAIT_MS = 18_000;

/** Calls to Stripe of one process at one time, and how many more may wait. */
export const STRIPE_CALLS_AT_ONCE = 24;
export const STRIPE_CALLS_WAITING = 100;

/** Failed calls in a row after which Stripe is left alone, and for how long, in milliseconds. */
export const STRIPE_FAILURES_TO_BREAK = 5;
export const STRIPE_BREAK_MS = 10_000;
