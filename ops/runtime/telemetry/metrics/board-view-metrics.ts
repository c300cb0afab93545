import { Gauge, type Registry } from 'prom-client';

/** Reports which board version a reading process shows. */
export interface BoardViewMetrics {
  /**
   * This process knows this version: generated at this moment, true for the hour that began at this one (both
   * milliseconds since the epoch), made by this methodology, with these many ranked operators of all time.
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

const MS_PER_SECOND = 1_000;

/** `now` tells the present moment in milliseconds since the epoch: a board's age grows without any event. */
export function createBoardViewMetrics(registry: Registry, now: () => number): BoardViewMetrics {
  const registers = [registry];
  const version = new Gauge({ name: 'upsilon_board_version', help: 'Board version known here', registers });
  const operators = new Gauge({ name: 'upsilon_board_operators', help: 'Ranked operators of all time', registers });
  const hour = new Gauge({
    name: 'upsilon_board_hour_timestamp_seconds',
    help: 'When the hour began for which the totals of the version known here are true',
    registers,
  });
  const methodology = new Gauge({
    name: 'upsilon_board_methodology',
    help: 'Number of the methodology of the version known here',
    registers,
  });
  let generatedAt: number | null = null;
  const age = new Gauge({
    name: 'upsilon_board_age_seconds',
    help: 'Time since the version known here was generated; it grows also when nothing changes',
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
