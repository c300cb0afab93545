import type { LogEntry, Verdict } from './types.ts';

/** What the engine tells of itself while it works; whoever runs it turns this into metrics and logs. */
export interface RankingReport {
  verdicts(verdicts: readonly Verdict[]): void;
  /** Seconds of one commit, the operators that moved in it, and the groups of the log that are on the board with it. */
  committed(commit: {
    seconds: number;
    operators: number;
    version: number;
    generatedAt: number;
    batches: readonly string[];
    /** The traces of the work that is on the board with it. */
    traces: readonly string[];
  }): void;
  compacted(compaction: { seconds: number; operators: number; hour: number }): void;
  /** Operators whose totals moved because an hour turned. */
  turned(turn: { hour: number; operators: number }): void;
  collected(collectGarbage: { parts: number }): void;
  /** Entries of the log that should have a verdict by now and have none. */
  withoutVerdict(entries: number): void;
  /** How long the oldest change has waited for a commit, in seconds; 0 when none waits. */
  changesWait(seconds: number): void;
  /** An entry could not be processed, whatever was tried; it was refused and can be judged anew. */
  poisoned(entry: Pick<LogEntry, 'operator' | 'jti'>, error: unknown): void;
  /** Entries that became too old for the log and are in carry marks now. */
  rolledUp(entries: number): void;
  /** Operators whose record differed from the board although no list named them. */
  reconciled(operators: number): void;
  /** How far the re-rank under way has come, in ranges of operators. */
  reranking(progress: { kind: 'activate' | 'preview'; methodology: number; scored: number; ranges: number }): void;
  /** The board's methodology has changed. */
  switched(change: { from: number; to: number; rolledBack: boolean }): void;
}

const ignore = (): void => undefined;

export const SILENT_REPORT: RankingReport = {
  verdicts: ignore,
  committed: ignore,
  compacted: ignore,
  turned: ignore,
  collected: ignore,
  withoutVerdict: ignore,
  changesWait: ignore,
  poisoned: ignore,
  rolledUp: ignore,
  reconciled: ignore,
  reranking: ignore,
  switched: ignore,
};
