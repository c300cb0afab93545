import type { RateState } from './fixed-window.ts';
import type { RatePolicy } from './rate-policy.ts';

/**
 * The headers that tell a client where it stands, in both forms: the structured fields RateLimit-Policy and RateLimit
 * (draft-ietf-httpapi-ratelimit-headers), and the three plain ones of the contract.
 */
export function rateHeaders(policy: RatePolicy, state: RateState): Record<string, string> {
  const window = Math.ceil(policy.windowMs / 1000);
  return {
    'RateLimit-Policy': `"${policy.name}";q=${policy.quota};w=${window}`,
    RateLimit: `"${policy.name}";r=${state.remaining};t=${state.resetSeconds}`,
    'RateLimit-Limit': String(policy.quota),
    'RateLimit-Remaining': String(state.remaining),
    'RateLimit-Reset': String(state.resetSeconds),
  };
}
