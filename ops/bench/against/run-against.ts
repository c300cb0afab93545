import { alternate } from '../frame/alternate.ts';
import type { BenchRequest } from '../frame/arguments.ts';
import { failureOf, readBenchOutput, runCommand } from '../frame/run-command.ts';
import { median, threeDigits } from '../frame/statistics.ts';
import { textTable } from '../frame/text-table.ts';
import { checkOut } from './other-tree.ts';
import { MIN_PAIRS, pairedRatio } from './paired-ratios.ts';

/** Time after which a run is stopped, in minutes. */
const RUN_LIMIT_MINUTES = 15;

/** The exit status of the bench command for an unknown bench. */
const UNKNOWN_BENCH_STATUS = 2;

/** Options of a short run: a pair takes well under a minute. Given options override them. */
const SHORT_RUNS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  reads: { operators: 1_000, rounds: 3 },
  clients: { operators: 1_000, rounds: 3, 'new-clients': 100_000 },
  ingest: { few: 500, many: 500, seconds: 4, connections: 256 },
  // `least` and `most`: the names of the options in commits before they were renamed.
  commit: { 'min-operators': 10_000, 'max-operators': 10_000, least: 10_000, most: 10_000, commits: 15 },
  rerank: { operators: 20_000, peers: 0 },
};

export interface AgainstOptions {
  /** This tree with its uncommitted changes. */
  readonly root: string;
  readonly dataDir: string;
  readonly request: BenchRequest & { readonly against: string };
  readonly progress: (text: string) => void;
}

export type Comparison = Awaited<ReturnType<typeof runAgainst>>;

type Values = ReadonlyMap<string, { readonly value: number; readonly unit: string }>;

interface Tree {
  readonly name: string;
  readonly root: string;
  readonly bench: string;
}

/**
 * Alternates runs of a bench of this tree and of a commit, each in new processes that create the same seeded data, and compares
 * figures of the same name. `--against-name` is for a bench that has another name in that commit.
 *
 * @throws when the commit has no such bench, a run fails, or both have no common figure
 */
export async function runAgainst({ root, dataDir, request, progress }: AgainstOptions) {
  const pairs = request.options.get('pairs') ?? MIN_PAIRS;
  if (!Number.isInteger(pairs) || pairs < MIN_PAIRS) throw new Error(`--pairs is at least ${MIN_PAIRS}`);
  const other = checkOut(root, request.against, dataDir);
  const here: Tree = { name: 'this tree', root, bench: request.name };
  const there: Tree = { name: other.commit.slice(0, 12), root: other.root, bench: request.againstName ?? request.name };
  // A tiny run of each tree compiles it, and checks that both can run.
  for (const tree of [there, here]) await runOnce(tree, ['--tiny']);
  const options = new Map([...Object.entries(SHORT_RUNS[request.name] ?? {}), ...request.options]);
  options.delete('pairs');
  const args = [...Array.from(options, ([name, value]) => `--${name}=${value}`), ...(request.tiny ? ['--tiny'] : [])];
  let runs = 0;
  const measure = (tree: Tree) => async (): Promise<Values> => {
    runs += 1;
    progress(`run ${runs} of ${2 * pairs}: ${tree.name}`);
    return runOnce(tree, args);
  };
  const taken = await alternate(
    [here, there].map((tree) => ({ name: tree.name, measure: measure(tree) })),
    pairs,
  );
  const compared = compareRuns(taken.get(here.name) ?? [], taken.get(there.name) ?? []);
  return { name: request.name, commit: other.commit, pairs, ...compared };
}

/** The figures of one run by name. */
async function runOnce(tree: Tree, args: readonly string[]): Promise<Values> {
  const command = { root: tree.root, args: ['bench', tree.bench, ...args], limitMinutes: RUN_LIMIT_MINUTES };
  const output = await runCommand(command);
  if (output.status === UNKNOWN_BENCH_STATUS) {
    throw new Error(`${tree.name} has no bench ${tree.bench}; --against-name=NAME gives its name in that commit`);
  }
  if (output.status !== 0) throw new Error(`${tree.name}: ${failureOf(output)}`);
  const { name, value, unit, figures } = readBenchOutput(output);
  // Most benches repeat one of their figures as the headline; the duration of the re-rank is only in the headline.
  const repeated = figures.some((figure) => figure.value === value && figure.unit === unit);
  const all = repeated ? figures : [{ name, value, unit }, ...figures];
  return new Map(
    all.flatMap((figure) => (figure.value === null ? [] : [[figure.name, { value: figure.value, unit: figure.unit }]])),
  );
}

function compareRuns(here: readonly Values[], there: readonly Values[]) {
  const names = new Set([...here, ...there].flatMap((values) => [...values.keys()]));
  const common = [...names].filter((name) => [...here, ...there].every((values) => values.has(name)));
  if (common.length === 0) throw new Error(`no figure is in both trees: ${[...names].join(', ')}`);
  const figures = common.map((name) => {
    const of = (runs: readonly Values[]): number[] => runs.map((values) => values.get(name)!.value);
    const [hereValues, thereValues] = [of(here), of(there)];
    const { unit } = here[0]!.get(name)!;
    const better = (own: number, peer: number): number => (unit.endsWith('/s') ? own / peer : peer / own);
    const ratio = pairedRatio(hereValues.map((value, pair) => better(value, thereValues[pair]!)));
    /** Medians. A ratio above 1: this tree is better. */
    return { name, unit, here: median(hereValues), there: median(thereValues), ratio };
  });
  /** `unmatched`: figures that only one of the trees has. */
  return { figures, unmatched: [...names].filter((name) => !common.includes(name)) };
}

/** The comparison as a table for people. */
export function comparisonTable({ name, commit, pairs, figures, unmatched }: Comparison): string {
  const coverage = ((figures[0]?.ratio.coverage ?? 0) * 100).toFixed(1);
  const rows = figures.map(({ name: figure, unit, here, there, ratio }) => [
    figure,
    unit,
    String(threeDigits(here)),
    String(threeDigits(there)),
    ratio.median.toFixed(3),
    `${ratio.low.toFixed(3)} to ${ratio.high.toFixed(3)}`,
  ]);
  const head = ['figure', 'unit', 'here', 'there', 'ratio', `interval (${coverage} %)`];
  const title = `${name}: this tree against ${commit}, ${pairs} pairs, medians; a ratio above 1 is better here`;
  const left = unmatched.length === 0 ? '' : `Only in one tree: ${unmatched.join(', ')}\n`;
  return `\n${title}\n${textTable([head, ...rows])}\n${left}`;
}
