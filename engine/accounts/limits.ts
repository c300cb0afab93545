/** Devices of an operator whose keys are valid at one time. */
export const MAX_LIVE_DEVICES = 20;

/**
 * Devices of an operator that are kept, revoked ones included. Enrolments at the same moment may pass it by as many as
 * there are: it bounds storage and lists, nothing else.
 */
export const MAX_KEPT_DEVICES = 500;

/** The longest life of an access token, in seconds. A signing key is published for as long after its last use. */
export const MAX_ACCESS_TOKEN_LIFETIME_S = 24 * 60 * 60;

/** How long a process goes on signing with the key it knows before it looks for a newer one, in milliseconds. */
export const SIGNING_KEY_RELOAD_MS = 60 * 1_000;

/** How long a browser stays signed in, in milliseconds. */
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

/** How long the audit log keeps an event, in milliseconds. */
export const AUDIT_RETENTION_MS = 180 * 24 * 60 * 60 * 1_000;

/** How long a used or ended one-time secret is remembered, so that its holder can be told what became of it, in milliseconds. */
export const SPENT_SECRET_MEMORY_MS = 24 * 60 * 60 * 1_000;

/** A process knows of a denial, and of a changed account, at most this long after it was written, in milliseconds. */
export const LIST_FOLLOW_MS = 4_000;

/**
 * How long an account counts as changed of late, in milliseconds: far longer than any change takes, and than clocks that
 * news of it passes may differ.
 */
export const ACCOUNT_CHANGE_MEMORY_MS = 2 * 60 * 60 * 1_000;

/** Ways of signing in that one account can have. */
export const MAX_IDENTITIES = 20;
