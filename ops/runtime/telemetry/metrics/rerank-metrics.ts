import { Counter, type Registry } from 'prom-client';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports changes of the board's methodology. */
export interface RerankMetrics {
  /** So many of the ranges of the re-rank under way are scored. */
  scored(scored: number, ranges: number): void;
  /** A re-rank has changed the methodology. Rollbacks are done by a command, which has no metrics. */
  switched(): void;
}

export function createRerankMetrics(registry: Registry): RerankMetrics {
  const ranges = createFadingGauge(
    'upsilon_rerank_ranges',
    'Ranges of operators of the re-rank under way, 0 without one',
    registry,
  );
  const done = createFadingGauge('upsilon_rerank_scored_ranges', 'Those of them that are scored', registry);
  const switches = new Counter({
    name: 'upsilon_methodology_switches_total',
    help: 'Changes of the methodology of the board by re-ranks',
    registers: [registry],
  });
  return {
    scored(scored, all) {
      ranges.tell(all);
      done.tell(scored);
    },
    switched: () => switches.inc(),
  };
}
