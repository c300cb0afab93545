/** What the board's mathematics take over a field, in milliseconds, and the memory of the process that did it. */
export interface CoreCosts {
  readonly operators: number;
  /** Sorting all windows into a base. */
  readonly sortMs: number;
  /** Cutting the base into all its pages. */
  readonly pagesMs: number;
  /** Taking 1,000 changes into the overlay. */
  readonly commitMs: number;
  readonly residentBytes: number;
}
