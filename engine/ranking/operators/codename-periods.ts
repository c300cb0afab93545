import { DAY_MS } from '../../../config/units.ts';

/** How long a former codename stays reserved, in milliseconds. */
export const CODENAME_REST_MS = 90 * DAY_MS;

/** How long a codename is reserved while an operator is created or renamed, in milliseconds. */
export const CREATION_HOLD_MS = 60 * 1_000;

/** Renames allowed in `RENAME_WINDOW_MS`, and former codenames that stay reserved. */
export const MAX_RENAMES = 3;
export const MAX_HELD_CODENAMES = 3;
export const RENAME_WINDOW_MS = 30 * DAY_MS;
