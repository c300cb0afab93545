import type { Registry } from 'prom-client';
import { MS_PER_SECOND } from '../../../../config/units.ts';
import { BATCH_SIZES, defineMetrics, SHORT_WORK_SECONDS } from './define-metrics.ts';

/** Metrics of commits, compactions and reconciliation of the board. */
export function createBoardMetrics(registry: Registry) {
  const { counter, gauge, histogram, fadingGauge } = defineMetrics(registry);
  const commits = histogram('upsilon_board_commit_seconds', 'Time to publish a version', SHORT_WORK_SECONDS);
  const changes = histogram('upsilon_board_commit_operators', 'Changed operators in a version', BATCH_SIZES);
  const compactions = histogram(
    'upsilon_board_compaction_seconds',
    'Time to publish a new base run',
    SHORT_WORK_SECONDS,
  );
  const advanced = counter(
    'upsilon_board_advanced_operators_total',
    'Operators whose totals changed because the hour advanced',
  );
  const reconciled = counter(
    'upsilon_board_reconciled_operators_total',
    'Operators that differed from the board although they were not marked dirty',
  );
  const checkedAt = gauge(
    'upsilon_board_commit_look_timestamp_seconds',
    'When this process last checked for changes to publish; take the maximum over processes',
  );
  const baseOperators = gauge(
    'upsilon_board_base_operators',
    'Operators in the newest base run that this process wrote',
  );
  const waiting = fadingGauge(
    'upsilon_board_oldest_change_seconds',
    'Age of the oldest change that waits for a commit',
  );
  return {
    committed(changedOperators: number, seconds: number) {
      commits.observe(seconds);
      changes.observe(changedOperators);
    },
    compacted(operators: number, seconds: number) {
      compactions.observe(seconds);
      baseOperators.set(operators);
    },
    /** The committer checked for changes; the age of the oldest unpublished one, 0 without any. */
    oldestChangeWait(seconds: number) {
      waiting.set(seconds);
      checkedAt.set(Date.now() / MS_PER_SECOND);
    },
    hourAdvanced: (operators: number) => advanced.inc(operators),
    reconciled: (operators: number) => reconciled.inc(operators),
  };
}
