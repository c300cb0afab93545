import type { Figure } from '../bench.ts';
import { quantile, threeDigits } from '../frame/statistics.ts';
import type { LoadReport } from './load-tasks.ts';
import type { Watched } from './watch-service.ts';

/** What the wait for a verdict and the way to the board may take, in milliseconds. */
export const VERDICT_P99_MS = 250;
const BOARD_P99_MS = 1_500;
/** What memory may grow by while a load is held: caches that fill are no leak. */
const GROWTH_AT_MOST = 1.25;
/** Memory at the height of a spike over that before it. */
const SPIKE_GROWTH_AT_MOST = 2;
const RECOVERED_WITHIN_S = 10;
/** Of a load that is held, the least that must be answered in its time, and the most jobs that may wait at its end. */
const HELD_AT_LEAST = 0.99;
const HELD_QUEUE_AT_MOST = 20;

/** One load of several, with what was asked for a second; 0 = as much as goes. */
export interface Phase {
  readonly name: string;
  readonly asked: number;
  readonly report: LoadReport;
  readonly watched: Watched;
}

export interface LoadFound {
  /** Accepted snapshots a second when as many are sent as are answered. */
  readonly limit: number;
  readonly half: Phase;
  readonly held: Phase;
  readonly spike: Phase;
  /** Milliseconds from submission to a profile that shows it, at half the limit. */
  readonly shown: readonly number[];
  readonly recoverySeconds: number;
}

/** A figure that is to stay below a limit. */
function atMost(name: string, value: number, unit: string, most: number, against: string): Figure {
  return { name, value: threeDigits(value), unit, ratio: threeDigits(value / most), against, target: { atMost: 1 } };
}

const answered = ({ accepted, pending }: LoadReport): number => accepted + pending;

export function loadFigures({ limit, half, held, spike, shown, recoverySeconds }: LoadFound): readonly Figure[] {
  const heldGrowth = Math.max(...Object.values(held.watched.memory).map(({ early, late }) => late / early));
  const spikeGrowth = Math.max(...Object.values(spike.watched.memory).map(({ first, most }) => most / first));
  const inTime = answered(held.report) / held.report.seconds / held.asked;
  const { shed, sent } = spike.report;
  return [
    atMost('verdict p99 at half the limit', half.report.latencies.p99, 'ms', VERDICT_P99_MS, `${VERDICT_P99_MS} ms`),
    atMost('on the board p99 at half the limit', quantile(shown, 0.99), 'ms', BOARD_P99_MS, `${BOARD_P99_MS} ms`),
    { name: 'sustained limit', value: Math.round(limit), unit: 'snapshots/s', ratio: null, against: '' },
    {
      name: 'four fifths of it, held',
      value: Math.round(answered(held.report) / held.report.seconds),
      unit: 'snapshots/s',
      ratio: threeDigits(inTime),
      against: `${Math.round(held.asked)}/s asked, for ${Math.round(held.report.seconds)} s`,
      target: { atLeast: HELD_AT_LEAST },
    },
    atMost('memory at the end of the held load', heldGrowth, 'times', GROWTH_AT_MOST, 'memory once it was under way'),
    atMost('jobs that wait at the end of the held load', held.watched.queue.last, 'jobs', HELD_QUEUE_AT_MOST, 'jobs'),
    {
      name: 'shed of a spike of five times the limit',
      value: shed,
      unit: 'answers 429 with Retry-After',
      ratio: threeDigits(shed / sent),
      against: `${sent} sent`,
    },
    atMost('memory at the height of the spike', spikeGrowth, 'times', SPIKE_GROWTH_AT_MOST, 'memory before it'),
    atMost('recovery after the spike', recoverySeconds, 's', RECOVERED_WITHIN_S, `${RECOVERED_WITHIN_S} s`),
  ];
}
