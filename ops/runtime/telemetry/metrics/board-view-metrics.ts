import { Gauge, type Registry } from 'prom-client';
import { MS_PER_SECOND } from '../../../../config/units.ts';

/** Reports the board version that a reading process serves. */
export interface BoardViewMetrics {
  /**
   * This process serves a version. `generatedAt` and `hourBeganAt` are milliseconds since the epoch; `operators` counts
   * the ranked operators of the all-time window.
   */
  shows(shown: ShownBoard): void;
}

export interface ShownBoard {
  readonly version: number;
  readonly generatedAt: number;
  readonly hourBeganAt: number;
  readonly methodology: number;
  readonly operators: number;
}

/** `now` returns milliseconds since the epoch; the age of the board is computed at each scrape. */
export function createBoardViewMetrics(registry: Registry, now: () => number): BoardViewMetrics {
  const registers = [registry];
  const version = new Gauge({
    name: 'upsilon_board_version',
    help: 'Board version that this process serves',
    registers,
  });
  const operators = new Gauge({
    name: 'upsilon_board_operators',
    help: 'Ranked operators of the all-time window',
    registers,
  });
  const hour = new Gauge({
    name: 'upsilon_board_hour_timestamp_seconds',
    help: 'Start of the hour for which the totals of the served version hold',
    registers,
  });
  const methodology = new Gauge({
    name: 'upsilon_board_methodology',
    help: 'Methodology number of the served version',
    registers,
  });
  let generatedAt: number | null = null;
  const age = new Gauge({
    name: 'upsilon_board_age_seconds',
    help: 'Time since the served version was generated; it grows also while nothing changes',
    registers,
    collect: () => {
      if (generatedAt !== null) age.set(Math.max(0, now() - generatedAt) / MS_PER_SECOND);
    },
  });
  return {
    shows(shown) {
      version.set(shown.version);
      operators.set(shown.operators);
      hour.set(shown.hourBeganAt / MS_PER_SECOND);
      methodology.set(shown.methodology);
      generatedAt = shown.generatedAt;
    },
  };
}
