import type { ProblemCode } from '../../engine/contract/index.ts';

/** The problem codes of reasons that facilitators, and our own checks, give. */
const CODES: readonly (readonly [pattern: RegExp, code: ProblemCode])[] = [
  [/^expired$|valid_before$/, 'payment_expired'],
  [/^not_valid_yet$|^valid_too_long$|valid_after$/, 'payment_validity_wrong'],
  [/signature/, 'payment_signature_invalid'],
  [/insufficient_(balance|funds)$/, 'payment_funds_missing'],
  [/^spent$|nonce_already_used$/, 'payment_reused'],
  [/recipient_mismatch$/, 'payment_payee_wrong'],
  [/network/, 'payment_network_wrong'],
  [/value/, 'payment_amount_wrong'],
];

/** The code for a refusal. A reason that is not known has the code of the step that gave it. */
export function refusalCode(stage: 'verify' | 'settle', reason: string): ProblemCode {
  const known = CODES.find(([pattern]) => pattern.test(reason));
  return known?.[1] ?? (stage === 'verify' ? 'payment_refused' : 'payment_failed');
}
