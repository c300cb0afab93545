/** Seconds for which clients are told to make a payment valid. */
export const PAYMENT_VALIDITY_S = 300;

/** How far clocks of clients may be off, in seconds, where a payment's validity is longer than they were told. */
export const CLOCK_TOLERANCE_S = 300;

/** Seconds of validity that settling takes at least: a payment with less left is refused, not tried. */
export const SETTLING_TAKES_S = 6;

/** How long after it was settled a payment returns the stored answer to its payer, in milliseconds. */
export const REPEAT_MS = 10 * 60_000;

/** Longest wait for the facilitator, in milliseconds. */
export const VERIFY_WITHIN_MS = 8_000;
export const SETTLE_WITHIN_MS = 20_000;

/** Calls to the facilitator at once, and more that may wait for them, in one process. */
export const FACILITATOR_CALLS_AT_ONCE = 32;
export const FACILITATOR_CALLS_WAITING = 96;

/** Of those, verifications of signatures by contracts, which cannot be checked here. */
export const CONTRACT_CALLS_AT_ONCE = 4;
export const CONTRACT_CALLS_WAITING = 12;

/** Failures in a row after which the facilitator is left alone, and for how long, in milliseconds. */
export const FACILITATOR_FAILURES_TO_BREAK = 5;
export const FACILITATOR_BREAK_MS = 10_000;

/** Longest wait for one read of the chain, in milliseconds, and how many blocks back a transfer is looked for. */
export const CHAIN_WITHIN_MS = 5_000;
export const CHAIN_BLOCKS_BACK = 5_000n;

/** How long one process has a purchase to itself, in milliseconds: verifying and preparing; settling. */
export const OPEN_LEASE_MS = 60_000;
export const SETTLE_LEASE_MS = SETTLE_WITHIN_MS + CHAIN_WITHIN_MS;

/** How long a request waits for another one that carries out the same purchase, in milliseconds, and looks how often. */
export const WAIT_FOR_OTHER_MS = 15_000;
export const LOOK_EVERY_MS = 100;

/** How long settled purchases and answers stay, in milliseconds. The first only spares the facilitator repetitions. */
export const SETTLED_KEPT_MS = 24 * 3_600_000;
export const ANSWER_KEPT_MS = 3_600_000;

/** Purchases looked at by one run of the upkeep. */
export const UPKEEP_BATCH = 200;

/** Bytes of one stored piece of an answer. */
export const ANSWER_PIECE_BYTES = 1024 * 1024;
