import { Gauge, type Registry } from 'prom-client';

/** Reports which board version a reading process shows. */
export interface BoardViewMetrics {
  /**
   * This process knows this version, generated at this moment (milliseconds since the epoch) with these many ranked
   * operators of all time.
   */
  shows(version: number, generatedAt: number, operators: number): void;
}

/** `now` tells the present moment in milliseconds since the epoch: a board's age grows without any event. */
export function createBoardViewMetrics(registry: Registry, now: () => number): BoardViewMetrics {
  const registers = [registry];
  const version = new Gauge({ name: 'upsilon_board_version', help: 'Board version known here', registers });
  const operators = new Gauge({ name: 'upsilon_board_operators', help: 'Ranked operators of all time', registers });
  let generatedAt: number | null = null;
  const age = new Gauge({
    name: 'upsilon_board_age_seconds',
    help: 'Time since the version known here was generated; it grows also when nothing changes',
    registers,
    collect: () => {
      if (generatedAt !== null) age.set(Math.max(0, now() - generatedAt) / 1000);
    },
  });
  return {
    shows(shown, at, ranked) {
      version.set(shown);
      operators.set(ranked);
      generatedAt = at;
    },
  };
}
