import { redactUrl } from '../../../config/redact-url.ts';

/**
 * Members whose values are never logged, at any depth. Compared in lower case. ioredis adds the arguments of a refused
 * command to its error as `args`: a password, or a whole job.
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

/** Members that contain headers of a request or response: of those, only these are logged. */
const HEADER_MEMBERS: ReadonlySet<string> = new Set(['headers', 'rawheaders']);
const LOGGED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'allow',
  'board-version',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'etag',
  'host',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'server',
  'traceparent',
  'user-agent',
  'vary',
]);

/** Compact JWS and JWT, with or without a payload: a base64url JSON object and two more parts. */
const COMPACT_JWS = /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+/g;

/** Stripe API keys and webhook secrets. */
const STRIPE_SECRET = /\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{8,}/g;

/** Automation tokens. */
const AUTOMATION_TOKEN = /\bups_[A-Za-z0-9_-]{8,}/g;

/** Nesting levels that are logged; deeper members are left out. */
const MAX_DEPTH = 6;

export const REDACTED = '[redacted]';

/** Returns a copy without secrets: members with a secret name, headers that are not listed, tokens in text, passwords in URLs. */
export function redactMembers(details: object, depth = 0): Record<string, unknown> {
  const members = Object.entries(details).map(([member, value]): [string, unknown] => {
    const name = member.toLowerCase();
    if (SECRET_MEMBERS.has(name)) return [member, REDACTED];
    return [member, HEADER_MEMBERS.has(name) ? redactHeaders(value, depth + 1) : redact(value, depth + 1)];
  });
  return Object.fromEntries(members);
}

/** Headers in any form but an object of their own are left out whole. */
function redactHeaders(headers: unknown, depth: number): unknown {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return REDACTED;
  const listed = Object.entries(headers).map(([name, value]): [string, unknown] => [
    name,
    LOGGED_HEADERS.has(name.toLowerCase()) ? redact(value, depth + 1) : REDACTED,
  ]);
  return Object.fromEntries(listed);
}

function redact(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (value instanceof Date) return value;
  if (value instanceof Error) return redactError(value, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return redactMembers(value, depth);
}

/** Returns text without tokens, API keys and passwords in URLs. */
export function redactText(text: string): string {
  const secrets = [COMPACT_JWS, STRIPE_SECRET, AUTOMATION_TOKEN];
  return redactUrl(secrets.reduce((redacted, secret) => redacted.replaceAll(secret, REDACTED), text));
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return {
    // Members that a library added: a code, an address, perhaps the whole request.
    ...redactMembers(error, depth),
    ...redactMembers({ type: name, message, stack, cause }, depth),
  };
}
