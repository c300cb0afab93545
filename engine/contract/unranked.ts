/** Why an operator has no rank in a window, with the words that continue "not ranked there, because". */
export const UNRANKED_REASONS = {
  no_tokens: 'there is no usage',
  no_input: 'the usage has no input tokens',
  too_few_tokens: 'the usage has fewer tokens than the methodology requires',
  input_share_too_small: 'the share of input tokens is smaller than the methodology requires',
  not_computable: 'the input is too small a fraction of a token for a Yield',
} as const;

export type UnrankedReason = keyof typeof UNRANKED_REASONS;

/** The words for a reason; those of `no_tokens` for null. */
export function unrankedText(reason: UnrankedReason | null): string {
  return UNRANKED_REASONS[reason ?? 'no_tokens'];
}
