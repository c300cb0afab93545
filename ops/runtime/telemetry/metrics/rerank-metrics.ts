import type { Registry } from 'prom-client';
import { defineMetrics } from './define-metrics.ts';

/** Metrics of re-ranks of the board under another methodology. */
export function createRerankMetrics(registry: Registry) {
  const { counter, fadingGauge } = defineMetrics(registry);
  const ranges = fadingGauge('upsilon_rerank_ranges', 'Operator ranges of the running re-rank, 0 without one');
  const done = fadingGauge('upsilon_rerank_scored_ranges', 'Scored operator ranges of the running re-rank');
  const switches = counter('upsilon_methodology_switches_total', 'Methodology switches by re-ranks');
  return {
    /** Scored ranges, and all ranges, of the running re-rank. */
    scored(scored: number, all: number) {
      ranges.set(all);
      done.set(scored);
    },
    /** A re-rank has switched the methodology. A rollback is a command, and commands have no metrics. */
    switched: () => switches.inc(),
  };
}
