import type { Verdict } from './types.ts';

/** What the engine tells of itself while it works; whoever runs it turns this into metrics and logs. */
export interface RankingReport {
  verdicts(verdicts: readonly Verdict[]): void;
  /** Seconds of one commit, and the operators that moved in it. */
  committed(commit: { seconds: number; operators: number; version: number; generatedAt: number }): void;
  compacted(compaction: { seconds: number; operators: number; hour: number }): void;
  /** Operators whose totals moved because an hour turned. */
  turned(turn: { hour: number; operators: number }): void;
  swept(sweep: { parts: number }): void;
  /** Groups in the log that have no verdict yet. */
  undecided(groups: number): void;
  /** Operators whose record differed from the board although no list named them. */
  healed(operators: number): void;
}

const ignore = (): void => undefined;

export const SILENT_REPORT: RankingReport = {
  verdicts: ignore,
  committed: ignore,
  compacted: ignore,
  turned: ignore,
  swept: ignore,
  undecided: ignore,
  healed: ignore,
};
