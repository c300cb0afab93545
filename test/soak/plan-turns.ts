/** One step of a soak: a command that repeats it, with its environment. */
export interface Turn {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Arguments of `npm`. */
  readonly command: readonly string[];
}

/** Mutants of one turn. */
const MUTANTS = 5;
/** Seeds of two turns are this far apart, because a turn derives several from the one it gets. */
const SEED_STEP = 10_000;
const SCHEDULE_TESTS = 'test/faults/schedules.test.ts';

/**
 * The turn at `index`: every other one runs fault schedules; between them come the long form of each other test that has
 * one, and mutants. The same arguments give the same turn, so that an interrupted soak continues where it stopped.
 *
 * @param longTests Test files with a long form.
 * @param mutants Names of the mutants of the table.
 */
export function planTurn(
  index: number,
  firstSeed: number,
  longTests: readonly string[],
  mutants: readonly string[],
): Turn {
  const seed = { TEST_SEED: String((firstSeed + index * SEED_STEP) % 2 ** 31) };
  if (index % 2 === 0) {
    const environment = { ...seed, TEST_LONG_RUN: '1', FAULT_PROOF: 'append' };
    return { name: 'schedules', environment, command: ['test', '--', SCHEDULE_TESTS] };
  }
  const others = longTests.filter((file) => file !== SCHEDULE_TESTS);
  const pair = (index - 1) / 2;
  const round = Math.floor(pair / (others.length + 1));
  const file = others[pair % (others.length + 1)];
  if (file !== undefined) {
    return { name: file, environment: { ...seed, TEST_LONG_RUN: '1' }, command: ['test', '--', file] };
  }
  const chosen = Array.from({ length: MUTANTS }, (_, place) => mutants[(round * MUTANTS + place) % mutants.length]!);
  return { name: 'mutants', environment: seed, command: ['run', 'mutants', '--', ...new Set(chosen)] };
}

/** What a user types to repeat a turn. */
export function commandLine({ environment, command }: Turn): string {
  const variables = Object.entries(environment)
    .filter(([name]) => name !== 'FAULT_PROOF')
    .map(([name, value]) => `${name}=${value}`);
  return [...variables, 'npm', ...command].join(' ');
}
