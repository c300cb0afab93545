/** What one piece of work took, in milliseconds: of the clock, and of CPU time of the committer and MongoDB together. */
export interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** What commits and compactions of one field cost. */
export interface FieldCosts {
  readonly operators: number;
  readonly seedMs: number;
  readonly commits: readonly Cost[];
  readonly compactions: readonly Cost[];
}
