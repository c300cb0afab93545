import type { Registry } from 'prom-client';
import { BATCH_SIZES, defineMetrics, SHORT_WORK_SECONDS, WAITING_SECONDS } from './define-metrics.ts';

/** Metrics of snapshots from the log to their verdict. */
export type IngestMetrics = ReturnType<typeof createIngestMetrics>;

export function createIngestMetrics(registry: Registry) {
  const { counter, histogram, fadingGauge } = defineMetrics(registry);
  const batches = histogram('upsilon_ingest_batch_entries', 'Snapshots in a batch', BATCH_SIZES);
  const writes = histogram('upsilon_ingest_log_seconds', 'Time to write one batch to the log', SHORT_WORK_SECONDS);
  const verdicts = counter('upsilon_ingest_verdicts_total', 'Snapshots by verdict', 'verdict');
  // Created with 0: an alert uses `increase()`, which does not see the first count of a new series.
  verdicts.inc({ verdict: 'entry_poisoned' }, 0);
  const open = fadingGauge(
    'upsilon_ingest_entries_without_verdict',
    'Log entries that should have a verdict but have none',
  );
  const unshown = fadingGauge(
    'upsilon_ingest_oldest_unshown_seconds',
    'Age of the oldest acknowledged snapshot that is on no board, 0 without one',
  );
  const toBoard = histogram(
    'upsilon_ingest_to_board_seconds',
    'Time from the acknowledgement of a batch to the board version that shows it',
    WAITING_SECONDS,
  );
  const malformed = fadingGauge('upsilon_ingest_malformed_batches', 'Batches of the log with ids of another form');
  return {
    logged(entries: number, seconds: number) {
      batches.observe(entries);
      writes.observe(seconds);
    },
    /** Snapshots got a verdict: `accepted`, `unchanged`, or a refusal code. */
    processed: (verdict: string, snapshots: number) => verdicts.inc({ verdict }, snapshots),
    malformed: (count: number) => malformed.set(count),
    withoutVerdict: (entries: number) => open.set(entries),
    oldestUnshown: (seconds: number) => unshown.set(seconds),
    /** A published board version shows a batch for the first time, so long after it was logged. */
    shown: (seconds: number) => toBoard.observe(seconds),
  };
}
