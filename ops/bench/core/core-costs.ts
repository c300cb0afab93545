/** Operators that a commit changes: each another one, so that every field has more. */
export const CHANGES = 1_000;

/** What the board's mathematics take over a field, in milliseconds, and the memory of the process that did it. */
export interface CoreCosts {
  readonly operators: number;
  /** Sorting all windows into a base. */
  readonly sortMs: number;
  /** Cutting the base into all its pages. */
  readonly pagesMs: number;
  /** Making a segment of 1,000 changes and taking it into the overlay: the median of the first commits after a base. */
  readonly commitMs: number;
  /** The same over the least field, in turns with them. */
  readonly minCommitMs: number;
  /** The same as the mean over the whole life of an overlay, from a fresh base to the next compaction. */
  readonly meanCommitMs: number;
  /** The mean over the least field, in turns with it. */
  readonly minMeanCommitMs: number;
  /** Commits from one compaction to the next. */
  readonly commitsToCompaction: number;
  /** The rank of an operator in a window, overlay included. */
  readonly rankUs: number;
  readonly residentBytes: number;
}
