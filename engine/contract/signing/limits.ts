/** Largest lead over the server's time of a snapshot's or a device proof's times, in milliseconds. */
export const MAX_CLOCK_SKEW_MS = 5 * 60 * 1_000;

/** Largest age of a snapshot's times at receipt, in milliseconds. */
export const MAX_SNAPSHOT_AGE_MS = 90 * 24 * 60 * 60 * 1_000;

/** The largest epoch of a ledger. */
export const MAX_EPOCH = 1_000;

/** Longest tool version in a header, in characters. */
export const MAX_CLI_LENGTH = 32;
