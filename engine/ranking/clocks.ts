/**
 * Upper bound for the clock difference between processes, in milliseconds. A time further in the future comes from a clock
 * that was set back since; waiting for it would block all processes until then.
 */
export const CLOCKS_DIFFER_MS = 60_000;
