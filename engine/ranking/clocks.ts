/**
 * Clocks of processes differ by less than this, in milliseconds. What was stamped later than that was stamped by a clock that
 * was set back since, and would keep everybody waiting until the time that it showed.
 */
export const CLOCKS_DIFFER_MS = 60_000;
