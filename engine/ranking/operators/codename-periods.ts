/** How long a codename that was given up is kept from others, in milliseconds. */
export const CODENAME_REST_MS = 90 * 24 * 60 * 60 * 1_000;

/** How long making an operator, or renaming one, may take before its codename is anybody's again, in milliseconds. */
export const CREATION_HOLD_MS = 60 * 1_000;

/** Renames of an operator in `RENAME_WINDOW_MS`, and former codenames that are kept for it. */
export const MAX_RENAMES = 3;
export const MAX_HELD_CODENAMES = 3;
export const RENAME_WINDOW_MS = 30 * 24 * 60 * 60 * 1_000;
