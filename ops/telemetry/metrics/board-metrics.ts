import { Gauge, Histogram, type Registry } from 'prom-client';
import { BATCH_SIZES, SHORT_WORK_SECONDS } from './buckets.ts';
import { createFadingGauge } from './fading-gauge.ts';

/** Reports the making of board versions. */
export interface BoardMetrics {
  /** A version was published that lists these many changed operators. */
  committed(changedOperators: number, seconds: number): void;
  /** A new base of these many operators was published. */
  compacted(operators: number, seconds: number): void;
  /** The oldest change that is not published yet has waited this long. */
  changesWait(seconds: number): void;
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
    changesWait: (seconds) => waiting.tell(seconds),
  };
}
