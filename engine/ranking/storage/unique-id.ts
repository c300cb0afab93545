import { randomBytes } from 'node:crypto';

const TIME_DIGITS = 9;

/** A unique id: 72 random bits, base64url without the characters that job ids and paths reserve. */
export function randomId(): string {
  return randomBytes(9).toString('base64url').replaceAll('-', 'x').replaceAll('_', 'y');
}

/** A unique id that sorts by its creation time (milliseconds since the epoch). */
export function timeOrderedId(milliseconds: number): string {
  return `${timePrefix(milliseconds)}-${randomId()}`;
}

/** Creation time of a time-ordered id. */
export function timeOf(name: string): number {
  return Number.parseInt(name.slice(0, TIME_DIGITS), 36);
}

/** Whether a text is a time-ordered id. */
export function isTimeOrdered(id: string): boolean {
  return TIME_ORDERED.test(id);
}

/** As a filter of a query. */
export const TIME_ORDERED = new RegExp(`^[0-9a-z]{${TIME_DIGITS}}-`);

/** Lower bound for the ids created at or after a time. */
export function timePrefix(milliseconds: number): string {
  return Math.max(0, Math.floor(milliseconds)).toString(36).padStart(TIME_DIGITS, '0');
}
