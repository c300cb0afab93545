import { Gauge, Histogram, type Registry } from 'prom-client';
import { BATCH_SIZES, SHORT_WORK_SECONDS } from './buckets.ts';

/** Reports the making and following of board versions. */
export interface BoardMetrics {
  /** A version was published that lists these many changed operators. */
  committed(changedOperators: number, seconds: number): void;
  /** A new base was published. */
  compacted(operators: number, seconds: number): void;
  /**
   * This process knows this version, generated at this moment (milliseconds since the epoch) with these many ranked
   * operators of all time.
   */
  shows(version: number, generatedAt: number, operators: number): void;
}

/** `now` tells the present moment in milliseconds since the epoch: a board's age grows without any event. */
export function createBoardMetrics(registry: Registry, now: () => number): BoardMetrics {
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
  const based = new Gauge({ name: 'upsilon_board_base_operators', help: 'Operators in the newest base', registers });
  const version = new Gauge({ name: 'upsilon_board_version', help: 'Board version known here', registers });
  const operators = new Gauge({ name: 'upsilon_board_operators', help: 'Ranked operators of all time', registers });
  let generatedAt: number | null = null;
  const age = new Gauge({
    name: 'upsilon_board_age_seconds',
    help: 'Time since the version known here was generated',
    registers,
    collect: () => {
      if (generatedAt !== null) age.set(Math.max(0, now() - generatedAt) / 1000);
    },
  });
  return {
    committed(changedOperators, seconds) {
      commits.observe(seconds);
      changes.observe(changedOperators);
    },
    compacted(baseOperators, seconds) {
      compactions.observe(seconds);
      based.set(baseOperators);
    },
    shows(shown, at, ranked) {
      version.set(shown);
      operators.set(ranked);
      generatedAt = at;
    },
  };
}
