import type { RateState } from './fixed-window.ts';
import type { RatePolicy } from './rate-policy.ts';

/**
 * The headers that report a client's quota, in both forms: the structured fields RateLimit-Policy and RateLimit
 * (draft-ietf-httpapi-ratelimit-headers), and the three plain ones of the contract.
 */
export function rateHeaders(policy: RatePolicy, state: RateState): Record<string, string> {
  const [remaining, reset] = [String(state.remaining), String(state.resetSeconds)];
  const window = Math.ceil(policy.windowMs / 1000);
  return {
    'RateLimit-Policy': `"${policy.name}";q=${policy.quota};w=${window}`,
    RateLimit: rateLimitField(policy, remaining, reset),
    'RateLimit-Limit': String(policy.quota),
    'RateLimit-Remaining': remaining,
    'RateLimit-Reset': reset,
  };
}

/** The structured field RateLimit of a state whose numbers are written already. */
export function rateLimitField({ name }: RatePolicy, remaining: string, reset: string): string {
  return `"${name}";r=${remaining};t=${reset}`;
}
