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
  /** Sweeps that each delete one base and what else a compaction leaves. */
  readonly sweeps: readonly Cost[];
  /** Parts that a sweep deleted, on average. */
  readonly sweptParts: number;
  /** Resident memory after all of it. */
  readonly committerBytes: number;
  readonly mongoBytes: number;
}
