import { redactUrl } from '../../../config/redact-url.ts';

/**
 * Members whose values are never logged, whatever they hold and wherever they are. Compared in lower case. `args` is what a
 * command had been given that Redis refused: a password, or a whole job.
 */
const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  'access_token',
  'accesstoken',
  'args',
  'authorization',
  'client_secret',
  'cookie',
  'id_token',
  'password',
  'payment-signature',
  'proof',
  'refresh_token',
  'refreshtoken',
  'secret',
  'set-cookie',
  'signature',
  'stripe-signature',
  'token',
  'x-payment',
]);

/** Compact JWS and JWT, with or without payload: a base64url JSON object, and two more parts. */
const COMPACT_JWS = /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+/g;

/** Keys of Stripe and the secrets of its webhooks. */
const STRIPE_SECRET = /\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{8,}/g;

/** Levels of members that are looked into; deeper ones are left out of the log. */
const DEPTH_MAX = 6;

export const REDACTED = '[redacted]';

/** A copy of what is to be logged, without secrets: members named like one, tokens in text, passwords in addresses. */
export function redactMembers(details: object, depth = 0): Record<string, unknown> {
  const members = Object.entries(details).map(([name, member]): [string, unknown] => [
    name,
    SECRET_MEMBERS.has(name.toLowerCase()) ? REDACTED : redact(member, depth + 1),
  ]);
  return Object.fromEntries(members);
}

function redact(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '[deeper]';
  if (value instanceof Date) return value;
  if (value instanceof Error) return redactError(value, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return redactMembers(value, depth);
}

/** Text without tokens, keys and without the passwords of addresses. */
export function redactText(text: string): string {
  return redactUrl(text.replaceAll(COMPACT_JWS, REDACTED).replaceAll(STRIPE_SECRET, REDACTED));
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return {
    // What a library added to its error: a code, an address, perhaps the whole request.
    ...redactMembers(error, depth),
    ...redactMembers({ type: name, message, stack, cause }, depth),
  };
}
