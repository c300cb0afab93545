import { Counter, type Registry } from 'prom-client';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports changes of the board's methodology. */
export interface RerankMetrics {
  /** So many of the ranges of the re-rank under way are scored. */
  scored(scored: number, ranges: number): void;
  /** The methodology has changed, by a re-rank or back again. */
  switched(rolledBack: boolean): void;
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
    help: 'Changes of the methodology of the board',
    labelNames: ['by'],
    registers: [registry],
  });
  for (const by of ['rerank', 'rollback']) switches.inc({ by }, 0);
  return {
    scored(scored, all) {
      ranges.tell(all);
      done.tell(scored);
    },
    switched: (rolledBack) => switches.inc({ by: rolledBack ? 'rollback' : 'rerank' }),
  };
}
