import type { LogEntry, Verdict } from './types.ts';

/** Events of the engine; the caller turns them into metrics and logs. */
export interface RankingReport {
  verdicts(verdicts: readonly Verdict[]): void;
  /** One commit: its duration, the operators whose rows changed, and the snapshot batches that it put on the board. */
  committed(commit: {
    seconds: number;
    operators: number;
    version: number;
    generatedAt: number;
    batches: readonly string[];
    /** Seconds from the append of each of these batches to this version. */
    batchSeconds: readonly number[];
    /** Trace ids of the work that it put on the board. */
    traces: readonly string[];
  }): void;
  compacted(compaction: { seconds: number; operators: number; hour: number }): void;
  /** Operators whose totals changed because the hour advanced. */
  hourAdvanced(advance: { hour: number; operators: number }): void;
  collected(collectGarbage: { parts: number }): void;
  /** Log entries without a verdict although they are old enough to have one. */
  withoutVerdict(entries: number): void;
  /** Age in seconds of the oldest log entry that is on no board yet; 0 when every board is up to date. */
  oldestUnshown(seconds: number): void;
  /** Batches in the log whose ids this service cannot have written. They get no verdict. */
  malformed(batches: readonly string[]): void;
  /** Age in seconds of the oldest dirty set that waits for a commit; 0 when none waits. */
  oldestChangeWait(seconds: number): void;
  /** Every attempt to process an entry failed. It was refused and can be reprocessed. */
  poisoned(entry: Pick<LogEntry, 'operator' | 'jti'>, error: unknown): void;
  /** Log entries past retention that were merged into rollups. */
  rolledUp(entries: number): void;
  /** Operators whose record differed from the board although no dirty set contained them. */
  reconciled(operators: number): void;
  /** Progress of the running re-rank, in ranges of operators. */
  reranking(progress: { kind: 'activate' | 'preview'; methodology: number; scored: number; ranges: number }): void;
  switched(change: { from: number; to: number; rolledBack: boolean }): void;
}
