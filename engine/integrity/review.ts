/** What moderators decided about an operator, in all of its cases. */
export interface Review {
  readonly excluded: boolean;
  /** Rules that no longer count against it, each as far as its clearings cover. Names without a waiver waive nothing. */
  readonly cleared: readonly { readonly rule: string; readonly covers: Covered }[];
}

/**
 * What clearings cover: values of what the rule measures, each up to which they do; or of a copy the operators whose series it may share.
 * Empty where nothing is measured.
 */
export type Covered = readonly number[];

/** What an operator's record comes to at present. */
export interface Measured {
  /** Its counts of all time, as one text. */
  readonly counts: string;
  /** What a clearing of the rule would cover. */
  readonly covered: (rule: string) => Covered;
}
