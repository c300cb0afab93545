/** Validity of a payment that clients are asked for, in seconds. */
export const PAYMENT_VALIDITY_S = 300;

/** Tolerated clock skew of clients, in seconds: a payment may be valid for this much longer than requested. */
export const CLOCK_TOLERANCE_S = 300;

/** Minimum remaining validity for settling, in seconds: a payment with less is refused without an attempt. */
export const MIN_SETTLING_VALIDITY_S = 6;

/** How long after its settlement a repeated payment returns the stored answer, in milliseconds. */
export const REPEAT_MS = 10 * 60_000;

/** Timeouts of calls to the facilitator, in milliseconds. */
export const VERIFY_TIMEOUT_MS = 8_000;
export const SETTLE_TIMEOUT_MS = 20_000;

/** Calls to the facilitator of one process: concurrent, and queued. */
export const MAX_CONCURRENT_FACILITATOR_CALLS = 32;
export const MAX_QUEUED_FACILITATOR_CALLS = 96;

/** Of those, verifications of contract signatures, which cannot be checked locally. */
export const MAX_CONCURRENT_CONTRACT_CALLS = 4;
export const MAX_QUEUED_CONTRACT_CALLS = 12;

/** Timeout of one read of the chain, in milliseconds, and how many blocks back it searches for a transfer. */
export const CHAIN_TIMEOUT_MS = 5_000;
export const CHAIN_LOOKBACK_BLOCKS = 5_000n;

/** Leases of a purchase, in milliseconds: while verifying and preparing, and while settling. */
export const OPEN_LEASE_MS = 60_000;
export const SETTLE_LEASE_MS = SETTLE_TIMEOUT_MS + CHAIN_TIMEOUT_MS;

/** How long a request waits for another that executes the same purchase, and how often it checks, in milliseconds. */
export const MAX_WAIT_FOR_OTHER_MS = 15_000;
export const CHECK_INTERVAL_MS = 100;

/** Retention of settled purchases and of answers, in milliseconds. The former only avoids repeated calls to the facilitator. */
export const SETTLED_RETENTION_MS = 24 * 3_600_000;
export const ANSWER_RETENTION_MS = 3_600_000;

/** Purchases that one maintenance run processes. */
export const MAINTENANCE_BATCH_SIZE = 200;
