import { checkMethodologies } from './check-methodologies.ts';
import { methodology1 } from './methodology-1.ts';
import { methodology2 } from './methodology-2.ts';
import { methodology3 } from './methodology-3.ts';
import { methodology4 } from './methodology-4.ts';

export type { Methodology, Tier } from './methodology.ts';

/** Every methodology, by number. Never edit a published one: add one with the next number. */
export const METHODOLOGIES = checkMethodologies([methodology1, methodology2, methodology3, methodology4]);

/** The methodology of the first board of a new installation. */
export const FIRST_METHODOLOGY = methodology4.id;
