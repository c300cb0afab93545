import type { RankingReport } from '../engine/ranking/index.ts';
import {
  createBoardMetrics,
  createIngestMetrics,
  createRerankMetrics,
  type Logger,
  type Registry,
  type Tracing,
} from '../ops/runtime/telemetry/index.ts';

/** Maps engine events to metrics and log lines. */
export function createRankingReport(registry: Registry, log: Logger, tracing: Tracing | null): RankingReport {
  const ingest = createIngestMetrics(registry);
  const board = createBoardMetrics(registry);
  const rerank = createRerankMetrics(registry);
  /** Those of the last warning. */
  let malformed = '';
  return {
    verdicts(verdicts) {
      const counts = new Map<string, number>();
      for (const verdict of verdicts) {
        const kind = verdict.accepted ? (verdict.changed ? 'accepted' : 'unchanged') : verdict.reason;
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
      for (const [kind, count] of counts) ingest.processed(kind, count);
    },
    committed({ seconds, operators, version, batches, batchSeconds, traces }) {
      board.committed(operators, seconds);
      for (const waited of batchSeconds) ingest.shown(waited);
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
      log.info({ hour, operators, seconds }, 'the board was compacted');
    },
    hourAdvanced({ hour, operators }) {
      board.hourAdvanced(operators);
      log.info({ hour, operators }, 'the hour advanced');
    },
    collected({ parts }) {
      log.info({ parts }, 'garbage collection deleted board parts');
    },
    withoutVerdict: (entries) => ingest.withoutVerdict(entries),
    oldestUnshown: (seconds) => ingest.oldestUnshown(seconds),
    malformed: (batches) => {
      ingest.malformed(batches.length);
      if (batches.join() === malformed) return;
      malformed = batches.join();
      log.warn({ batches }, 'batches of the log have ids that this service cannot have written: they are left out');
    },
    oldestChangeWait: (seconds) => board.oldestChangeWait(seconds),
    poisoned({ operator, jti }, error) {
      log.error(
        { err: error, operator, jti },
        'a snapshot could not be processed: reprocess it with "snapshots reprocess"',
      );
    },
    reranking({ kind, methodology, scored, ranges }) {
      rerank.scored(scored, ranges);
      log.info({ kind, methodology, scored, ranges }, 'operators are being scored under another methodology');
    },
    switched(change) {
      if (!change.rolledBack) rerank.switched();
      log.info(change, 'the methodology of the board changed');
    },
    rolledUp(entries) {
      log.info({ entries }, 'old snapshots were merged into rollups');
    },
    reconciled(operators) {
      board.reconciled(operators);
      log.warn({ operators }, 'operators differed from the board and were marked dirty');
    },
  };
}
