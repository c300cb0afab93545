import { randomBytes } from 'node:crypto';

const TIME_DIGITS = 9;

/** A name that no other process makes: 72 random bits, base64url without the characters that job ids and paths reserve. */
export function randomId(): string {
  return randomBytes(9).toString('base64url').replaceAll('-', 'x').replaceAll('_', 'y');
}

/** A name that sorts by the moment (milliseconds since the epoch) at which it was made. */
export function timeOrderedId(milliseconds: number): string {
  return `${timePrefix(milliseconds)}-${randomId()}`;
}

/** The moment at which a timed name was made. */
export function timeOf(name: string): number {
  return Number.parseInt(name.slice(0, TIME_DIGITS), 36);
}

/** The least name of those made at or after a moment. */
export function timePrefix(milliseconds: number): string {
  return Math.max(0, Math.floor(milliseconds)).toString(36).padStart(TIME_DIGITS, '0');
}
