/** Distinct operators that a commit changes; every population is larger. */
export const CHANGES = 1_000;

/** Costs of the board's core over a population in milliseconds, and memory of the measuring process. */
export interface CoreCosts {
  readonly operators: number;
  /** Sorting all windows into a base run. */
  readonly sortMs: number;
  /** Splitting the base run into its pages. */
  readonly pagesMs: number;
  /** Making a segment of 1,000 changes and applying it to the delta: the median of the first commits after a compaction. */
  readonly commitMs: number;
  /** `commitMs` of the smallest population, measured alternately. */
  readonly minCommitMs: number;
  /** Mean commit time from one compaction to the next. */
  readonly meanCommitMs: number;
  /** `meanCommitMs` of the smallest population, measured alternately. */
  readonly minMeanCommitMs: number;
  /** Commits from one compaction to the next. */
  readonly commitsToCompaction: number;
  /** Computing the rank of an operator in a window, including the delta, in microseconds. */
  readonly rankUs: number;
  readonly residentBytes: number;
}
