import type { RankingReport } from '../engine/ranking/index.ts';
import type { BoardMetrics, IngestMetrics, Logger, RerankMetrics, Tracing } from '../ops/runtime/telemetry/index.ts';

export interface ReportTargets {
  readonly ingest: IngestMetrics;
  readonly board: BoardMetrics;
  readonly rerank: RerankMetrics;
  readonly log: Logger;
  /** Null where nothing is traced. */
  readonly tracing?: Pick<Tracing, 'recordSpan'> | null;
}

/** Turns what the engine tells of itself into metrics and log lines. */
export function createRankingReport({ ingest, board, rerank, log, tracing }: ReportTargets): RankingReport {
  return {
    verdicts(verdicts) {
      const counts = new Map<string, number>();
      for (const verdict of verdicts) {
        const kind = verdict.accepted ? (verdict.changed ? 'accepted' : 'unchanged') : verdict.reason;
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
      for (const [kind, count] of counts) ingest.processed(kind, count);
    },
    committed({ seconds, operators, version, batches, traces }) {
      board.committed(operators, seconds);
      tracing?.recordSpan(
        'commit board',
        { 'upsilon.version': version, 'upsilon.operators': operators },
        seconds,
        traces,
      );
      log.debug({ version, operators, seconds, batches }, 'a board version was published');
    },
    compacted({ seconds, operators, hour }) {
      board.compacted(operators, seconds);
      log.info({ hour, operators, seconds }, 'the board was sorted anew');
    },
    hourAdvanced({ hour, operators }) {
      board.hourAdvanced(operators);
      log.info({ hour, operators }, 'totals moved with the hour');
    },
    collected({ parts }) {
      log.info({ parts }, 'parts of former boards were deleted');
    },
    withoutVerdict: (entries) => ingest.withoutVerdict(entries),
    oldestChangeWait: (seconds) => board.oldestChangeWait(seconds),
    poisoned({ operator, jti }, error) {
      log.error(
        { err: error, operator, jti },
        'a snapshot could not be processed: judge it anew by "snapshots rejudge"',
      );
    },
    reranking({ kind, methodology, scored, ranges }) {
      rerank.scored(scored, ranges);
      log.info({ kind, methodology, scored, ranges }, 'operators are scored under another methodology');
    },
    switched(change) {
      if (!change.rolledBack) rerank.switched();
      log.info(change, 'the methodology of the board has changed');
    },
    rolledUp(entries) {
      log.info({ entries }, 'old snapshots left the log for carry marks');
    },
    reconciled(operators) {
      board.reconciled(operators);
      log.warn({ operators }, 'operators differed from the board and were listed again');
    },
  };
}
