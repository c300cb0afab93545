/** A bench with options. */
export interface BenchRun {
  readonly bench: string;
  readonly options: readonly string[];
}

/** Test files with settings. */
export interface TestRun {
  readonly tests: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/** One part of the proof: a command that can be run separately. */
export interface ProofPart {
  readonly name: string;
  readonly title: string;
  readonly does: BenchRun | TestRun;
  /** A variant that takes seconds; null when the smoke leaves the part out. */
  readonly smoke: BenchRun | TestRun | null;
  /** Approximate duration on two cores. */
  readonly minutes: number;
}

const tests = (files: readonly string[], settings: TestRun['settings']): TestRun => ({ tests: files, settings });
const SCHEDULES = ['test/faults/schedules.test.ts'];

/** Every part, in the order in which they run. */
export const PARTS: readonly ProofPart[] = [
  bench('reads', 'Reads', 2, []),
  bench('clients', 'Many clients', 10, []),
  bench('ingest', 'Ingest', 6, []),
  bench('commit', 'Commits and garbage collection', 5, []),
  bench('sorted-set', 'Redis sorted sets', 3, []),
  bench('rerank', 'Re-rank', 6, ['--operators=1000000']),
  { ...bench('rerank', 'Re-rank of 100,000', 0.5, ['--operators=100000', '--peers=0'], 'rerank-100k'), smoke: null },
  { ...bench('rerank', 'Re-rank of 10,000', 0.5, ['--operators=10000', '--peers=0'], 'rerank-10k'), smoke: null },
  bench('rerank-live', 'Re-rank under load', 2, []),
  bench('scale', 'Growth', 8, []),
  bench('core', 'The core in memory', 1.5, []),
  bench('rules', 'Rules of integrity', 0.5, []),
  bench('load', 'Load', 12, ['--hold=600']),
  bench('scan', "The tool's scan", 4, ['--rounds=5']),
  bench('site', 'Pages', 1, ['--rounds=3']),
  { name: 'faults', title: 'Faults', does: tests(SCHEDULES, { FAULT_SCHEDULES: '5' }), smoke: null, minutes: 2.5 },
  {
    name: 'abuse',
    title: 'Abuse',
    does: tests(['test/abuse/*.test.ts'], { FUZZ_RUNS: '200' }),
    smoke: tests(['test/abuse/wire.test.ts'], {}),
    minutes: 4,
  },
];

/** A part that the tests record themselves: runs of one version add up, so a long run may come in portions. */
export const FAULT_RUNS: Pick<ProofPart, 'name' | 'title' | 'does'> = {
  name: 'fault-runs',
  title: 'A long run of fault schedules',
  does: tests(SCHEDULES, { FAULT_SCHEDULES: '200', FAULT_PROOF: 'append' }),
};

function bench(of: string, title: string, minutes: number, options: readonly string[], name = of): ProofPart {
  return { name, title, does: { bench: of, options }, smoke: { bench: of, options: ['--tiny'] }, minutes };
}

/** The command line of a part. */
export function commandOf(does: ProofPart['does']): string {
  if ('bench' in does) return ['npm run bench --', does.bench, ...does.options].join(' ');
  const settings = Object.entries(does.settings).map(([name, value]) => `${name}=${value} `);
  return `${settings.join('')}npm test -- ${does.tests.join(' ')}`;
}

/** `--compare`: compares with the page. `--page`: measures nothing. `--smoke`: tiny runs into a temporary folder. */
const MODES = ['compare', 'page', 'smoke'] as const;

/** Parsed arguments of the proof; the mode `measure` writes the page. */
export interface ProofRequest {
  readonly mode: 'measure' | (typeof MODES)[number];
  readonly parts: readonly ProofPart[];
}

/** Parses `--only=reads,load --compare`. @throws for other arguments and unknown parts. */
export function parseProofArguments(args: readonly string[]): ProofRequest {
  const names = PARTS.map(({ name }) => name);
  let mode: ProofRequest['mode'] = 'measure';
  let only = names;
  for (const arg of args) {
    const given = MODES.find((one) => arg === `--${one}`);
    if (arg.startsWith('--only=')) only = arg.slice('--only='.length).split(',');
    else if (given !== undefined) mode = given;
    else throw new Error(`${arg} is none of --only=PART,… ${MODES.map((one) => `--${one}`).join(' ')}`);
  }
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: the parts are ${names.join(', ')}`);
  return { mode, parts: PARTS.filter(({ name }) => only.includes(name)) };
}
