/** Reasons for refusing a logged snapshot: the `reason` of a submission that was not accepted. */
export const REFUSAL_CODES = [
  'header_invalid',
  'key_unknown',
  'key_revoked',
  'key_foreign',
  'signature_invalid',
  'issued_in_future',
  'issued_too_long_ago',
  'as_of_in_future',
  'as_of_too_long_ago',
  'stream_limit',
  'operator_gone',
  'entry_poisoned',
  'entry_voided',
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];
