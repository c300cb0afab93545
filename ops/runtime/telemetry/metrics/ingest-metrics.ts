import { Counter, Histogram, type Registry } from 'prom-client';
import { BATCH_SIZES, SHORT_WORK_SECONDS } from './buckets.ts';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports the way of snapshots from the log to their verdict. */
export interface IngestMetrics {
  /** Entries were written to the log together. */
  logged(entries: number, seconds: number): void;
  /** A snapshot has its verdict: `accepted`, `unchanged`, or the code of its refusal. */
  processed(verdict: string, snapshots: number): void;
  /** Log entries that have no verdict, as counted by this process. Another may count next: the number fades. */
  withoutVerdict(entries: number): void;
}

export function createIngestMetrics(registry: Registry): IngestMetrics {
  const registers = [registry];
  const batches = new Histogram({
    name: 'upsilon_ingest_batch_entries',
    help: 'Snapshots written to the log together',
    buckets: BATCH_SIZES,
    registers,
  });
  const writes = new Histogram({
    name: 'upsilon_ingest_log_seconds',
    help: 'Time to write one group to the log',
    buckets: SHORT_WORK_SECONDS,
    registers,
  });
  const verdicts = new Counter({
    name: 'upsilon_ingest_verdicts_total',
    help: 'Snapshots by verdict',
    labelNames: ['verdict'] as const,
    registers,
  });
  // An alert counts these: the first one must be seen to add to something.
  verdicts.inc({ verdict: 'entry_poisoned' }, 0);
  const name = 'upsilon_ingest_entries_without_verdict';
  const open = createFadingGauge(name, 'Log entries that should have a verdict and have none', registry);
  return {
    logged(entries, seconds) {
      batches.observe(entries);
      writes.observe(seconds);
    },
    processed: (verdict, snapshots) => verdicts.inc({ verdict }, snapshots),
    withoutVerdict: (entries) => open.tell(entries),
  };
}
