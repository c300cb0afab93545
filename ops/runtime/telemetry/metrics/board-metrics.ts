import { Gauge, type Registry } from 'prom-client';
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

/** A board version that a process serves. Times are milliseconds since the epoch. */
interface ShownBoard {
  readonly version: number;
  readonly generatedAt: number;
  readonly hourBeganAt: number;
  readonly methodology: number;
  /** Ranked operators of the all-time window. */
  readonly operators: number;
  /** The Yield of the first rank by window; 0 without rows. */
  readonly firstYields: Readonly<Record<string, number>>;
}

/** `now` returns milliseconds since the epoch; the age of the board is computed at each scrape. */
export function createBoardViewMetrics(registry: Registry, now: () => number) {
  const { gauge } = defineMetrics(registry);
  const version = gauge('upsilon_board_version', 'Board version that this process serves');
  const operators = gauge('upsilon_board_operators', 'Ranked operators of the all-time window');
  const hour = gauge(
    'upsilon_board_hour_timestamp_seconds',
    'Start of the hour for which the totals of the served version hold',
  );
  const methodology = gauge('upsilon_board_methodology', 'Methodology number of the served version');
  const firstYield = gauge('upsilon_board_first_yield', 'Yield of the first rank, 0 without rows', 'window');
  let generatedAt: number | null = null;
  const age = new Gauge({
    name: 'upsilon_board_age_seconds',
    help: 'Time since the served version was generated; it grows also while nothing changes',
    registers: [registry],
    collect: () => {
      if (generatedAt !== null) age.set(Math.max(0, now() - generatedAt) / MS_PER_SECOND);
    },
  });
  return {
    shows(shown: ShownBoard) {
      version.set(shown.version);
      operators.set(shown.operators);
      hour.set(shown.hourBeganAt / MS_PER_SECOND);
      methodology.set(shown.methodology);
      for (const [window, yield_] of Object.entries(shown.firstYields)) firstYield.set({ window }, yield_);
      generatedAt = shown.generatedAt;
    },
  };
}

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
