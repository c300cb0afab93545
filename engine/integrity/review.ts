/** What moderators decided about an operator, in all of its cases. */
export interface Review {
  readonly excluded: boolean;
  /** Rules that no longer count against it, each up to a value of what it measures. Names without a waiver waive nothing. */
  readonly cleared: readonly { readonly rule: string; readonly covers: number }[];
}

/** What an operator's record comes to at present. */
export interface Measured {
  /** Its counts of all time, as one text. */
  readonly counts: string;
  /** The greatest value that a rule measures in some window; null where it measures nothing. Shared growths are at most 8. */
  readonly of: (rule: string) => number | null;
}
