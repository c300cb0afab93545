import { Gauge, type Registry } from 'prom-client';
import { MS_PER_SECOND } from '../../../../config/units.ts';
import { defineMetrics } from './define-metrics.ts';

/** A board version that a process serves. Times are milliseconds since the epoch. */
interface ShownBoard {
  readonly version: number;
  readonly generatedAt: number;
  readonly hourBeganAt: number;
  readonly methodology: number;
  /** Ranked operators of the all-time window. */
  readonly operators: number;
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
      generatedAt = shown.generatedAt;
    },
  };
}
