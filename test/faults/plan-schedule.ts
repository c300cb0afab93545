import type { Weather } from '../support/fault-proxy.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/** One thing that happens to the service. Times are milliseconds from the schedule's beginning. */
export interface PlannedFault {
  readonly at: number;
  readonly forMs: number;
  readonly fault:
    | { readonly kind: 'kill'; readonly target: string }
    | { readonly kind: 'freeze'; readonly target: string }
    | { readonly kind: 'weather'; readonly way: 'MongoDB' | 'Redis'; readonly weather: Weather }
    | { readonly kind: 'flush' }
    | { readonly kind: 'repeat' };
}

const PROCESSES = ['api', 'worker 1', 'worker 2', 'MongoDB', 'Redis'];
const FAULTS_AT_LEAST = 2;
const FAULTS_AT_MOST = 4;
/** Faults begin within this time, and each lasts no longer than the longest. */
const BEGIN_WITHIN_MS = 2_000;
const SHORTEST_MS = 100;
const LONGEST_MS = 2_500;
const DELAY_AT_MOST_MS = 200;

/** A few faults that overlap as chance wants, in the order in which they begin. */
export function planSchedule(random: SeededRandom): PlannedFault[] {
  const faults = Array.from({ length: random.integer(FAULTS_AT_LEAST, FAULTS_AT_MOST) }, () => ({
    at: random.integer(0, BEGIN_WITHIN_MS),
    forMs: random.integer(SHORTEST_MS, LONGEST_MS),
    fault: anyFault(random),
  }));
  return faults.toSorted((one, other) => one.at - other.at);
}

function anyFault(random: SeededRandom): PlannedFault['fault'] {
  const kind = random.pick(['kill', 'freeze', 'freeze', 'weather', 'weather', 'weather', 'flush', 'repeat'] as const);
  switch (kind) {
    case 'kill':
    case 'freeze':
      return { kind, target: random.pick(PROCESSES) };
    case 'weather':
      return { kind, way: random.pick(['MongoDB', 'Redis']), weather: anyWeather(random) };
    case 'flush':
    case 'repeat':
      return { kind };
  }
}

function anyWeather(random: SeededRandom): Weather {
  const kind = random.pick(['slow', 'black hole', 'half open', 'cut'] as const);
  return kind === 'slow' ? { kind, delayMs: random.integer(1, DELAY_AT_MOST_MS) } : { kind };
}

/** A fault in a few words. */
export function faultName({ fault }: PlannedFault): string {
  switch (fault.kind) {
    case 'kill':
    case 'freeze':
      return `${fault.kind} ${fault.target}`;
    case 'weather':
      return `${fault.weather.kind} to ${fault.way}`;
    case 'flush':
      return 'FLUSHALL';
    case 'repeat':
      return 'jobs again, out of order';
  }
}
