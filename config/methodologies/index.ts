import type { Methodology } from './methodology.ts';
import { methodology1 } from './methodology-1.ts';

export type { Methodology, Tier } from './methodology.ts';

/** Every methodology there ever was, by number. A published one is never edited. */
export const METHODOLOGIES: ReadonlyMap<number, Methodology> = new Map([[methodology1.id, methodology1]]);

/** The methodology of the first board of a new installation. */
export const FIRST_METHODOLOGY = methodology1.id;
