import type { Registry } from 'prom-client';
import { MS_PER_SECOND } from '../../../../config/units.ts';
import { defineMetrics } from './define-metrics.ts';

/** Integrity cases, as stored. */
interface CaseCounts {
  readonly waiting: number;
  readonly oldestAppealAt: Date | null;
  readonly byRule: readonly { readonly rule: string; readonly severity: string; readonly operators: number }[];
}

/** Metrics of findings about rows. Rules and severities come from small closed sets. */
export type IntegrityMetrics = ReturnType<typeof createIntegrityMetrics>;

export function createIntegrityMetrics(registry: Registry, clock: () => number) {
  const { fadingGauge } = defineMetrics(registry);
  const operators = fadingGauge(
    'upsilon_integrity_operators',
    'Operators with a case that is neither void nor closed, by rule and severity',
    'rule',
    'severity',
  );
  const waiting = fadingGauge('upsilon_integrity_cases_waiting', 'Cases that wait for a moderator');
  const appeal = fadingGauge(
    'upsilon_integrity_oldest_appeal_seconds',
    'Age of the oldest appeal that waits for a moderator, 0 without one',
  );
  return {
    counted(counts: CaseCounts): void {
      for (const { rule, severity, operators: found } of counts.byRule) operators.set(found, { rule, severity });
      waiting.set(counts.waiting);
      const { oldestAppealAt } = counts;
      appeal.set(oldestAppealAt === null ? 0 : (clock() - oldestAppealAt.getTime()) / MS_PER_SECOND);
    },
  };
}
