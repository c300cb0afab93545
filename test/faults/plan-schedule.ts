import type { Weather } from '../support/fault-proxy.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/** What may happen to the service. */
export type Fault =
  | { readonly kind: 'kill' | 'freeze'; readonly target: string }
  | { readonly kind: 'weather'; readonly way: 'MongoDB' | 'Redis'; readonly weather: Weather }
  | { readonly kind: 'flush' | 'repeat' | 'reorder' | 'slow clients' }
  /** The files that an engine may write end after so many bytes. */
  | { readonly kind: 'no space'; readonly engine: 'MongoDB' | 'Redis'; readonly bytes: number }
  /** The clock of one process, or of all, is set forward or back by so many milliseconds, and right again afterwards. */
  | { readonly kind: 'clock'; readonly target: string; readonly byMs: number };

/** One thing that happens to the service. Times are milliseconds from the schedule's beginning. */
export interface PlannedFault {
  readonly at: number;
  readonly forMs: number;
  readonly fault: Fault;
}

export interface Schedule {
  readonly faults: readonly PlannedFault[];
  /** Milliseconds after the beginning at which an hour turns, for schedules that step clocks; null in the others. */
  readonly hourAdvancesAt: number | null;
}

const SERVICES = ['api', 'worker 1', 'worker 2'];
const PROCESSES = [...SERVICES, 'MongoDB', 'Redis'];
const FAULTS_AT_LEAST = 2;
const FAULTS_AT_MOST = 4;
/** Faults begin within this time, and each lasts no longer than the longest. */
const BEGIN_WITHIN_MS = 2_000;
const SHORTEST_MS = 100;
const LONGEST_MS = 2_500;
const DELAY_AT_MOST_MS = 200;
const SPACE_AT_MOST_BYTES = 400_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** A clock is a little off, or by more than a snapshot's may be, or by more than an hour. */
const STEPS_MS = [20 * SECOND_MS, 7 * MINUTE_MS, 80 * MINUTE_MS];

/** Each schedule in turn has one of these for certain, so that a few schedules already have them all. */
export const KINDS: readonly Fault['kind'][] = [
  'kill',
  'no space',
  'clock',
  'weather',
  'reorder',
  'slow clients',
  'freeze',
  'flush',
  'repeat',
];
/** What the others are, as often as the kind is named. */
const FURTHER: readonly Fault['kind'][] = [
  'kill',
  'kill',
  'freeze',
  'freeze',
  'weather',
  'weather',
  'weather',
  ...KINDS,
];

/**
 * A few faults of these kinds that overlap as chance wants, in the order in which they begin; `turn` says which kind is
 * among them for certain.
 */
export function planSchedule(random: SeededRandom, possible: readonly Fault['kind'][], turn: number): Schedule {
  const usual = FURTHER.filter((kind) => possible.includes(kind));
  const kinds = [possible[turn % possible.length]!];
  for (let more = random.integer(FAULTS_AT_LEAST, FAULTS_AT_MOST) - 1; more > 0; more--) kinds.push(random.pick(usual));
  const faults = kinds.map((kind) => ({
    at: random.integer(0, BEGIN_WITHIN_MS),
    forMs: random.integer(SHORTEST_MS, LONGEST_MS),
    fault: faultOf(kind, random),
  }));
  const stepsClocks = kinds.includes('clock');
  return {
    faults: faults.toSorted((one, other) => one.at - other.at),
    hourAdvancesAt: stepsClocks ? random.integer(0, BEGIN_WITHIN_MS + LONGEST_MS) : null,
  };
}

function faultOf(kind: Fault['kind'], random: SeededRandom): Fault {
  switch (kind) {
    case 'kill':
    case 'freeze':
      return { kind, target: random.pick(PROCESSES) };
    case 'weather':
      return { kind, way: random.pick(['MongoDB', 'Redis']), weather: anyWeather(random) };
    case 'no space':
      return { kind, engine: random.pick(['MongoDB', 'MongoDB', 'Redis']), bytes: anySpace(random) };
    case 'clock': {
      const target = random.pick([...SERVICES, 'all']);
      return { kind, target, byMs: random.pick([-1, 1]) * random.pick(STEPS_MS) };
    }
    case 'flush':
    case 'repeat':
    case 'reorder':
    case 'slow clients':
      return { kind };
  }
}

/** None at all, or a little. */
function anySpace(random: SeededRandom): number {
  return random.integer(0, 1) * random.integer(0, SPACE_AT_MOST_BYTES);
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
    case 'reorder':
      return 'waiting jobs shuffled';
    case 'slow clients':
      return fault.kind;
    case 'no space':
      return `no space for ${fault.engine}`;
    case 'clock':
      return `${fault.target === 'all' ? 'all clocks' : `clock of ${fault.target}`} ${fault.byMs > 0 ? 'forward' : 'back'}`;
  }
}
