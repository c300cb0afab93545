import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** 32 random bytes, base64url: usable in URLs and cookies. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** SHA-256, base64url. Secrets are stored by their hash, so a reader of the store gets no credential. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
