import { Counter, type Registry } from 'prom-client';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports re-ranks of the board under another methodology. */
export interface RerankMetrics {
  /** Scored ranges, and all ranges, of the running re-rank. */
  scored(scored: number, ranges: number): void;
  /** A re-rank has switched the methodology. A rollback is a command, and commands have no metrics. */
  switched(): void;
}

export function createRerankMetrics(registry: Registry): RerankMetrics {
  const ranges = createFadingGauge(
    'upsilon_rerank_ranges',
    'Operator ranges of the running re-rank, 0 without one',
    registry,
  );
  const done = createFadingGauge(
    'upsilon_rerank_scored_ranges',
    'Scored operator ranges of the running re-rank',
    registry,
  );
  const switches = new Counter({
    name: 'upsilon_methodology_switches_total',
    help: 'Methodology switches by re-ranks',
    registers: [registry],
  });
  return {
    scored(scored, all) {
      ranges.set(all);
      done.set(scored);
    },
    switched: () => switches.inc(),
  };
}
