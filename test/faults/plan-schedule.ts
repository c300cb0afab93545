import { MINUTE_MS, MS_PER_SECOND } from '../../config/units.ts';
import type { Weather } from '../support/fault-proxy.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

export type Fault =
  | { readonly kind: 'kill' | 'freeze'; readonly target: string }
  | { readonly kind: 'weather'; readonly way: 'MongoDB' | 'Redis'; readonly weather: Weather }
  | { readonly kind: 'flush' | 'repeat' | 'reorder' | 'slow clients' }
  /** Limits the files of a database to `bytes`. */
  | { readonly kind: 'no space'; readonly engine: 'MongoDB' | 'Redis'; readonly bytes: number }
  /** Steps the clock of one process, or of all, by `byMs`, and corrects it afterwards. */
  | { readonly kind: 'clock'; readonly target: string; readonly byMs: number };

/** Times are milliseconds from the start of the schedule. */
export interface PlannedFault {
  readonly at: number;
  readonly forMs: number;
  readonly fault: Fault;
}

export interface Schedule {
  readonly faults: readonly PlannedFault[];
  /** When the hour advances, in schedules with clock steps; null in others. */
  readonly hourAdvancesAt: number | null;
}

const SERVICES = ['api', 'worker 1', 'worker 2'];
const PROCESSES = [...SERVICES, 'MongoDB', 'Redis'];
const MIN_FAULTS = 2;
const MAX_FAULTS = 4;
/** Faults start within this time; each lasts MIN_DURATION_MS to MAX_DURATION_MS. */
const START_WITHIN_MS = 2_000;
const MIN_DURATION_MS = 100;
const MAX_DURATION_MS = 2_500;
const MAX_DELAY_MS = 200;
const MAX_SPACE_BYTES = 400_000;
/** Steps within the tolerance of snapshots, above it, and above an hour. */
const STEPS_MS = [20 * MS_PER_SECOND, 7 * MINUTE_MS, 80 * MINUTE_MS];

/** Each schedule contains one of these in rotation, so that few schedules cover all kinds. */
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
/** The distribution of the other faults. */
const DISTRIBUTION: readonly Fault['kind'][] = [
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
 * Plans a few faults of these kinds that overlap randomly, ordered by start. The kind `possible[index]` (modulo its length) is
 * always among them.
 */
export function planSchedule(random: SeededRandom, possible: readonly Fault['kind'][], index: number): Schedule {
  const usual = DISTRIBUTION.filter((kind) => possible.includes(kind));
  const kinds = [possible[index % possible.length]!];
  for (let more = random.integer(MIN_FAULTS, MAX_FAULTS) - 1; more > 0; more--) kinds.push(random.pick(usual));
  const faults = kinds.map((kind) => ({
    at: random.integer(0, START_WITHIN_MS),
    forMs: random.integer(MIN_DURATION_MS, MAX_DURATION_MS),
    fault: faultOf(kind, random),
  }));
  const stepsClocks = kinds.includes('clock');
  return {
    faults: faults.toSorted((one, other) => one.at - other.at),
    hourAdvancesAt: stepsClocks ? random.integer(0, START_WITHIN_MS + MAX_DURATION_MS) : null,
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

/** 0, or a random amount. */
function anySpace(random: SeededRandom): number {
  return random.integer(0, 1) * random.integer(0, MAX_SPACE_BYTES);
}

function anyWeather(random: SeededRandom): Weather {
  const kind = random.pick(['slow', 'black hole', 'half open', 'cut'] as const);
  return kind === 'slow' ? { kind, delayMs: random.integer(1, MAX_DELAY_MS) } : { kind };
}

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
