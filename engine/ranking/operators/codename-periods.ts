/** How long a codename that was given up is kept from others, in milliseconds. */
export const CODENAME_REST_MS = 90 * 24 * 60 * 60 * 1_000;

/** How long making an operator, or renaming one, may take before its codename is anybody's again, in milliseconds. */
export const CREATION_HOLD_MS = 60 * 1_000;
