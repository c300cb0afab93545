import { Counter, Histogram, type Registry } from 'prom-client';
import { BATCH_SIZES, SHORT_WORK_SECONDS } from './buckets.ts';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports snapshots from the log to their verdict. */
export interface IngestMetrics {
  /** A batch was written to the log. */
  logged(entries: number, seconds: number): void;
  /** Snapshots got a verdict: `accepted`, `unchanged`, or a refusal code. */
  processed(verdict: string, snapshots: number): void;
  /** Log entries without a verdict. Another process may count next, so the gauge fades. */
  withoutVerdict(entries: number): void;
}

export function createIngestMetrics(registry: Registry): IngestMetrics {
  const registers = [registry];
  const batches = new Histogram({
    name: 'upsilon_ingest_batch_entries',
    help: 'Snapshots in a batch',
    buckets: BATCH_SIZES,
    registers,
  });
  const writes = new Histogram({
    name: 'upsilon_ingest_log_seconds',
    help: 'Time to write one batch to the log',
    buckets: SHORT_WORK_SECONDS,
    registers,
  });
  const verdicts = new Counter({
    name: 'upsilon_ingest_verdicts_total',
    help: 'Snapshots by verdict',
    labelNames: ['verdict'] as const,
    registers,
  });
  // Created with 0: an alert uses `increase()`, which does not see the first count of a new series.
  verdicts.inc({ verdict: 'entry_poisoned' }, 0);
  const name = 'upsilon_ingest_entries_without_verdict';
  const open = createFadingGauge(name, 'Log entries that should have a verdict but have none', registry);
  return {
    logged(entries, seconds) {
      batches.observe(entries);
      writes.observe(seconds);
    },
    processed: (verdict, snapshots) => verdicts.inc({ verdict }, snapshots),
    withoutVerdict: (entries) => open.set(entries),
  };
}
