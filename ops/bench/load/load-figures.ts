import { MICROSECONDS_PER_MS, MS_PER_SECOND } from '../../../config/units.ts';
import { type Figure, figure } from '../frame/bench.ts';
import { quantile, sum, threeDigits } from '../frame/statistics.ts';
import type { LoadReport } from '../ingest/client-main.ts';
import type { Watched } from './watch-service.ts';

/** Limits of the wait for a verdict and of the time to the board, in milliseconds. */
export const VERDICT_P99_MS = 250;
const BOARD_P99_MS = 1_500;
const PROMISED = 'the promised limit';
/** Allowed growth of memory during a sustained load: caches fill. */
const MAX_GROWTH = 1.25;
/** Allowed ratio of memory at the peak of a spike to memory before it. */
const MAX_SPIKE_GROWTH = 2;
const RECOVERED_WITHIN_S = 10;
/** Of a sustained load: least share of responses in time, and most waiting jobs at its end. */
const MIN_HELD_SHARE = 0.99;
const MAX_HELD_QUEUE = 20;

/** One of several loads, with its requested rate per second; 0: as high as possible. */
export interface Phase {
  readonly name: string;
  readonly asked: number;
  readonly report: LoadReport;
  readonly watched: Watched;
  /** CPU seconds by process, clients and engines included. */
  readonly cpu: Readonly<Record<string, number>>;
}

export interface LoadFound {
  /** Accepted snapshots per second of a closed loop. */
  readonly limit: number;
  readonly half: Phase;
  readonly held: Phase;
  readonly spike: Phase;
  /** Milliseconds from submission to a profile that contains it, at half the limit. */
  readonly shown: readonly number[];
  readonly recoverySeconds: number;
}

const answered = ({ accepted, pending }: LoadReport): number => accepted + pending;

export function loadFigures({ limit, half, held, spike, shown, recoverySeconds }: LoadFound): readonly Figure[] {
  const heldGrowth = Math.max(...Object.values(held.watched.memory).map(({ early, late }) => late / early));
  const spikeGrowth = Math.max(...Object.values(spike.watched.memory).map(({ first, most }) => most / first));
  const inTime = answered(held.report) / held.report.seconds / held.asked;
  const heldCpu = (sum(Object.values(held.cpu)) * MS_PER_SECOND * MICROSECONDS_PER_MS) / answered(held.report);
  const { shed, sent } = spike.report;
  return [
    figure('verdict p99 at half the limit', half.report.latencies.p99, 'ms', null, PROMISED, {
      atMost: VERDICT_P99_MS,
      aim: 125,
    }),
    figure('on the board p99 at half the limit', quantile(shown, 0.99), 'ms', null, PROMISED, {
      atMost: BOARD_P99_MS,
      aim: 750,
    }),
    { name: 'sustained limit', value: Math.round(limit), unit: 'snapshots/s', ratio: null, against: '' },
    {
      name: 'four fifths of it, held',
      value: Math.round(answered(held.report) / held.report.seconds),
      unit: 'snapshots/s',
      ratio: threeDigits(inTime),
      against: `${Math.round(held.asked)}/s asked, for ${Math.round(held.report.seconds)} s`,
      target: { atLeast: MIN_HELD_SHARE },
    },
    figure('CPU time of a snapshot, held', heldCpu, 'us'),
    figure('memory at the end of the held load', heldGrowth, 'times', null, 'memory after its warm-up', {
      atMost: MAX_GROWTH,
    }),
    figure('waiting jobs at the end of the held load', held.watched.queue.last, 'jobs', null, 'a limit', {
      atMost: MAX_HELD_QUEUE,
    }),
    {
      name: 'shed of a spike of five times the limit',
      value: shed,
      unit: 'answers 429 with Retry-After',
      ratio: threeDigits(shed / sent),
      against: `${sent} sent`,
    },
    figure('memory at the peak of the spike', spikeGrowth, 'times', null, 'memory before it', {
      atMost: MAX_SPIKE_GROWTH,
    }),
    figure('recovery after the spike', recoverySeconds, 's', null, 'a limit', { atMost: RECOVERED_WITHIN_S }),
  ];
}
