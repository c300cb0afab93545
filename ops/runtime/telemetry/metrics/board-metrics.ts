import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { MS_PER_SECOND } from '../../../../config/units.ts';
import { BATCH_SIZES, SHORT_WORK_SECONDS } from './buckets.ts';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports commits, compactions and reconciliation of the board. */
export interface BoardMetrics {
  /** A version was published with this many changed operators. */
  committed(changedOperators: number, seconds: number): void;
  /** A new base run of this many operators was published. */
  compacted(operators: number, seconds: number): void;
  /** The committer checked for changes; the age of the oldest unpublished one, 0 without any. */
  oldestChangeWait(seconds: number): void;
  /** The totals of this many operators changed because the hour advanced. */
  hourAdvanced(operators: number): void;
  /** This many operators differed from the board although they were not marked dirty. */
  reconciled(operators: number): void;
}

export function createBoardMetrics(registry: Registry): BoardMetrics {
  const registers = [registry];
  const buckets = SHORT_WORK_SECONDS;
  const commits = new Histogram({
    name: 'upsilon_board_commit_seconds',
    help: 'Time to publish a version',
    buckets,
    registers,
  });
  const changes = new Histogram({
    name: 'upsilon_board_commit_operators',
    help: 'Changed operators in a version',
    buckets: BATCH_SIZES,
    registers,
  });
  const compactions = new Histogram({
    name: 'upsilon_board_compaction_seconds',
    help: 'Time to publish a new base run',
    buckets,
    registers,
  });
  const advanced = new Counter({
    name: 'upsilon_board_advanced_operators_total',
    help: 'Operators whose totals changed because the hour advanced',
    registers,
  });
  const reconciled = new Counter({
    name: 'upsilon_board_reconciled_operators_total',
    help: 'Operators that differed from the board although they were not marked dirty',
    registers,
  });
  const checkedAt = new Gauge({
    name: 'upsilon_board_commit_look_timestamp_seconds',
    help: 'When this process last checked for changes to publish; take the maximum over processes',
    registers,
  });
  const baseOperators = new Gauge({
    name: 'upsilon_board_base_operators',
    help: 'Operators in the newest base run that this process wrote',
    registers,
  });
  const waiting = createFadingGauge(
    'upsilon_board_oldest_change_seconds',
    'Age of the oldest change that waits for a commit',
    registry,
  );
  return {
    committed(changedOperators, seconds) {
      commits.observe(seconds);
      changes.observe(changedOperators);
    },
    compacted(operators, seconds) {
      compactions.observe(seconds);
      baseOperators.set(operators);
    },
    oldestChangeWait(seconds) {
      waiting.set(seconds);
      checkedAt.set(Date.now() / MS_PER_SECOND);
    },
    hourAdvanced: (operators) => advanced.inc(operators),
    reconciled: (operators) => reconciled.inc(operators),
  };
}
