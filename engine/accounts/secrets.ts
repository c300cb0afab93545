import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** A secret nobody can guess, fit for addresses and cookies. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** What is kept of a secret: it cannot be turned back, and whoever reads the store holds no credential. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
