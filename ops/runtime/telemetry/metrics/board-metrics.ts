import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { BATCH_SIZES, SHORT_WORK_SECONDS } from './buckets.ts';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports the making of board versions. */
export interface BoardMetrics {
  /** A version was published that lists these many changed operators. */
  committed(changedOperators: number, seconds: number): void;
  /** A new base of these many operators was published. */
  compacted(operators: number, seconds: number): void;
  /** The committer looked: the oldest change that is not published yet has waited this long. */
  changesWait(seconds: number): void;
  /** The totals of these many operators moved because an hour turned. */
  turned(operators: number): void;
  /** These many operators differed from the board although no list named them. */
  reconciled(operators: number): void;
}

const MS_PER_SECOND = 1_000;

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
    help: 'Changed operators that a version lists',
    buckets: BATCH_SIZES,
    registers,
  });
  const compactions = new Histogram({
    name: 'upsilon_board_compaction_seconds',
    help: 'Time to publish a new base',
    buckets,
    registers,
  });
  const turns = new Counter({
    name: 'upsilon_board_advanced_operators_total',
    help: 'Operators whose totals moved because an hour turned',
    registers,
  });
  const heals = new Counter({
    name: 'upsilon_board_reconciled_operators_total',
    help: 'Operators that differed from the board although no list named them',
    registers,
  });
  const looked = new Gauge({
    name: 'upsilon_board_commit_look_timestamp_seconds',
    help: 'When this process last looked for changes to publish; take the maximum over processes',
    registers,
  });
  const based = new Gauge({
    name: 'upsilon_board_base_operators',
    help: 'Operators in the newest base made here',
    registers,
  });
  const waiting = createFadingGauge(
    'upsilon_board_oldest_change_seconds',
    'How long the oldest unpublished change has waited for a commit',
    registry,
  );
  return {
    committed(changedOperators, seconds) {
      commits.observe(seconds);
      changes.observe(changedOperators);
    },
    compacted(baseOperators, seconds) {
      compactions.observe(seconds);
      based.set(baseOperators);
    },
    changesWait(seconds) {
      waiting.tell(seconds);
      looked.set(Date.now() / MS_PER_SECOND);
    },
    turned: (operators) => turns.inc(operators),
    reconciled: (operators) => heals.inc(operators),
  };
}
