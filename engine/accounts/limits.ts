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
