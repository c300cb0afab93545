/** How far ahead of the server's time a snapshot's times, or a device proof's, may be, in milliseconds. */
export const MAX_CLOCK_SKEW_MS = 5 * 60 * 1_000;

/** How old a snapshot's times may be when it is received, in milliseconds. */
export const MAX_SNAPSHOT_AGE_MS = 90 * 24 * 60 * 60 * 1_000;

/** The largest recount number of a ledger. */
export const MAX_EPOCH = 1_000;

/** The longest tool version in a header, in characters. */
export const MAX_CLI_LENGTH = 32;
