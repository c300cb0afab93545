import type * as z from 'zod';
import { PaymentChallenge, PROBLEM_STATUSES, PROBLEMS, ProblemDetails } from '../../engine/contract/index.ts';
import { problemsOf, type Route, type SuccessSpec } from '../http/route.ts';
import { type OpenApiObject, schemaObject } from './schema-objects.ts';

const integer = { type: 'integer', minimum: 0 };
const text = { type: 'string' };

/** Headers of several responses: contract, parts 7 to 9. */
export const RESPONSE_HEADERS: Readonly<Record<string, OpenApiObject>> = {
  'RateLimit-Policy': { description: 'Structured field: the quota and its window in seconds.', schema: text },
  RateLimit: {
    description: 'Structured field: the remaining requests, and seconds until the quota resets.',
    schema: text,
  },
  'RateLimit-Limit': { description: 'Requests in a window.', schema: integer },
  'RateLimit-Remaining': { description: 'Requests that remain in this window.', schema: integer },
  'RateLimit-Reset': { description: 'Seconds until the window resets.', schema: integer },
  'Retry-After': { description: 'Seconds, or an HTTP date, to wait before trying again.', schema: text },
  ETag: { description: 'Strong entity tag of this response.', schema: text },
  'Cache-Control': { description: 'How long the response may be cached.', schema: text },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6750, RFC 9728).', schema: text },
  'PAYMENT-REQUIRED': { description: 'How to pay: Base64 of JSON (x402 version 2).', schema: text },
  Allow: { description: 'The methods that the resource supports.', schema: text },
  Deprecation: { description: '"true": the operation is deprecated.', schema: text },
  Sunset: { description: 'HTTP date after which the operation is removed (RFC 8594).', schema: text },
  Link: { description: 'The replacement of the operation, or the policy.', schema: text },
};

const RATE_HEADERS = ['RateLimit-Policy', 'RateLimit', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Headers that come with a problem of a status. */
const PROBLEM_HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  402: ['Link'],
  405: ['Allow'],
  429: ['Retry-After'],
};

export function successResponse(route: Route<never>, success: SuccessSpec): OpenApiObject {
  const cached = route.cache === undefined ? ['Cache-Control'] : ['Cache-Control', 'ETag'];
  const own = Object.entries(success.headers ?? {}).map(([name, description]) => [name, { description, schema: text }]);
  return {
    description: success.description,
    headers: { ...headerReferences(route, cached), ...Object.fromEntries(own) },
    ...contentOf(success),
  };
}

/** A reference to the named response of each status that the route's codes have. */
export function problemResponses(route: Route<never>): OpenApiObject {
  const statuses = new Set(problemsOf(route).map((code) => PROBLEMS[code].status));
  return Object.fromEntries(
    Array.from(statuses, (status) => {
      const paid = status === 402 && route.tag === 'premium';
      const name = paid ? PAID_RESPONSE : PROBLEM_STATUSES.get(status)?.[0];
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** The 402 of an operation that is paid by the request; that of other operations links to where the plan is sold. */
const PAID_RESPONSE = 'PremiumPaymentRequired';

/** The named responses of problems. The codes of an operation are in its `x-problem-codes`. */
export function problemResponseObjects(): Record<string, OpenApiObject> {
  const named = Array.from(PROBLEM_STATUSES, ([status, [name, meaning]]) => [
    name,
    problemObject(meaning, ProblemDetails, PROBLEM_HEADERS[status] ?? []),
  ]);
  return {
    ...Object.fromEntries(named),
    [PAID_RESPONSE]: problemObject('A payment is required for the request.', PaymentChallenge, ['PAYMENT-REQUIRED']),
  };
}

function problemObject(description: string, schema: z.ZodType, headers: readonly string[]): OpenApiObject {
  const content = { 'application/problem+json': { schema: schemaObject(schema) } };
  return { description, headers: references([...RATE_HEADERS, ...headers]), content };
}

function headerReferences(route: Route<never>, names: readonly string[]): OpenApiObject {
  const rate = route.limit === null ? [] : RATE_HEADERS;
  const retired = route.deprecation === undefined ? [] : ['Deprecation', 'Sunset', 'Link'];
  return references([...rate, ...names, ...retired]);
}

function references(names: readonly string[]): OpenApiObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function contentOf({ schema, mediaTypes }: SuccessSpec): OpenApiObject {
  if (schema === undefined && mediaTypes === undefined) return {};
  const json = schema === undefined ? {} : { 'application/json': { schema: schemaObject(schema) } };
  const others = (mediaTypes ?? []).map((mediaType) => [mediaType, { schema: text }]);
  return { content: { ...json, ...Object.fromEntries(others) } };
}
