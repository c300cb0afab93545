import { randomBytes } from 'node:crypto';

const HOLDER_BYTES = 12;

/** A name for one carrying-out of a purchase, which nobody else has. */
export function newHolder(): string {
  return randomBytes(HOLDER_BYTES).toString('base64url');
}
