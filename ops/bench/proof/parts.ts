/** One part of the proof: a command that can be run separately. */
export interface ProofPart {
  readonly name: string;
  readonly title: string;
  /** A bench with options, or test files with settings. */
  readonly does:
    | { readonly bench: string; readonly options: readonly string[] }
    | { readonly tests: readonly string[]; readonly settings: Readonly<Record<string, string>> };
  /** A variant that takes seconds; null when the smoke leaves the part out. */
  readonly smoke: ProofPart['does'] | null;
  /** Approximate duration on two cores. */
  readonly minutes: number;
  /** Time limit, after which it counts as failed. */
  readonly limitMinutes: number;
}

const bench = (name: string, ...options: readonly string[]) => ({ bench: name, options });
const tests = (files: readonly string[], settings: Readonly<Record<string, string>>) => ({ tests: files, settings });

const SCHEDULES = ['test/faults/schedules.test.ts'];

/** Every part, in the order in which they run. */
export const PARTS: readonly ProofPart[] = [
  part('reads', 'Reads', bench('reads'), bench('reads', '--tiny'), 2),
  part('ingest', 'Ingest', bench('ingest'), bench('ingest', '--tiny'), 6),
  part('commit', 'Commits and garbage collection', bench('commit'), bench('commit', '--tiny'), 5),
  part('sorted-set', 'Redis sorted sets', bench('sorted-set'), bench('sorted-set', '--tiny'), 3),
  part('rerank', 'Re-rank', bench('rerank', '--operators=1000000'), bench('rerank', '--tiny'), 6),
  part('rerank-100k', 'Re-rank of 100,000', bench('rerank', '--operators=100000', '--peers=0'), null, 0.5),
  part('rerank-10k', 'Re-rank of 10,000', bench('rerank', '--operators=10000', '--peers=0'), null, 0.5),
  part('rerank-live', 'Re-rank under load', bench('rerank-live'), bench('rerank-live', '--tiny'), 2),
  part('scale', 'Growth', bench('scale'), bench('scale', '--tiny'), 8),
  part('core', 'The core in memory', bench('core'), bench('core', '--tiny'), 1.5),
  part('load', 'Load', bench('load', '--hold=600'), bench('load', '--tiny'), 12),
  part('scan', "The tool's scan", bench('scan', '--rounds=3'), bench('scan', '--tiny'), 1.5),
  part('site', 'Pages', bench('site', '--rounds=3'), bench('site', '--tiny'), 1),
  part('faults', 'Faults', tests(SCHEDULES, { FAULT_SCHEDULES: '5' }), null, 2.5),
  part(
    'abuse',
    'Abuse',
    tests(['test/abuse/*.test.ts'], { FUZZ_RUNS: '200' }),
    tests(['test/abuse/wire.test.ts'], {}),
    4,
  ),
];

function part(
  name: string,
  title: string,
  does: ProofPart['does'],
  smoke: ProofPart['smoke'],
  minutes: number,
): ProofPart {
  return { name, title, does, smoke, minutes, limitMinutes: Math.ceil(minutes * 2 + 3) };
}

/** The command line of a part. */
export function commandOf(does: ProofPart['does']): string {
  if ('bench' in does) return ['npm run bench --', does.bench, ...does.options].join(' ');
  const settings = Object.entries(does.settings).map(([name, value]) => `${name}=${value} `);
  return `${settings.join('')}npm test -- ${does.tests.join(' ')}`;
}
