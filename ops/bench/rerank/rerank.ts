import { MIB } from '../../../config/units.ts';
import { WINDOWS } from '../../../engine/contract/index.ts';
import { openMongo } from '../../../engine/mongo/index.ts';
import type { BoardOverview, Ranking } from '../../../engine/ranking/index.ts';
import { type Bench, type BenchContext, type BenchResult, type Figure, figure } from '../frame/bench.ts';
import { openRanking, rethrow } from '../frame/open-ranking.ts';
import { sum, threeDigits } from '../frame/statistics.ts';
import { measureRerank, type RerankCosts } from './measure-rerank.ts';
import { naiveYields } from './naive-scores.ts';
import { seedRecords } from './seed-records.ts';
import { rankOnServer, type ServerRanking } from './server-ranking.ts';

/** Entries per window that are compared with the sort. */
const COMPARED_ENTRIES = 100;
const MAX_WORKER_BYTES = 500e6;
/** Limit of the time of a change of bounds, as a multiple of a re-rank without rules. */
const MAX_BOUNDS_RATIO = 1.5;

/** Description of the comparison, printed with every result. */
const METHOD =
  'all start with the same records. The re-rank reads their packed totals, scores, sorts and writes a base run of all four ' +
  'windows, journaled, and switches to it. MongoDB scores and ranks from the same totals as plain numbers in the same ' +
  'records, once by a pipeline for each window and once all windows in one, into new collections, by default write concern.';

/** A re-rank of a population against rankings computed by MongoDB. */
export const rerank: Bench = {
  name: 'rerank',
  summary: 'four windows re-ranked and switched against $setWindowFields into $merge and $out, and a bare argsort',
  run,
};

/** One way to rank the four windows in MongoDB. */
interface Peer {
  readonly name: string;
  readonly into: 'merge' | 'out';
  readonly pipelines: readonly (readonly number[])[];
  /** Required ratio of its time to the re-rank's. */
  readonly target: Figure['target'];
}

const EACH_WINDOW = WINDOWS.map((_, window) => [window]);
const ALL_WINDOWS = [WINDOWS.map((_, window) => window)];

const PEERS: readonly Peer[] = [
  { name: '$merge, a pipeline a window', into: 'merge', pipelines: EACH_WINDOW, target: { atLeast: 10, aim: 30 } },
  { name: '$out, a pipeline a window', into: 'out', pipelines: EACH_WINDOW, target: { atLeast: 4 } },
  { name: '$merge, one pipeline', into: 'merge', pipelines: ALL_WINDOWS, target: { atLeast: 8 } },
  { name: '$out, one pipeline', into: 'out', pipelines: ALL_WINDOWS, target: { atLeast: 4 } },
];

interface Costs {
  readonly rerank: RerankCosts;
  readonly argsortMs: number;
  readonly peers: readonly (Peer & { readonly costs: ServerRanking })[];
}

async function run(context: BenchContext): Promise<BenchResult> {
  const {
    operators: records,
    samples,
    workers,
    peers,
    rounds,
  } = context.options({
    operators: [100_000, 2_000],
    samples: [50, 50],
    workers: [2, 1],
    peers: [1, 1],
    rounds: [3, 1],
  });
  const { mongoUrl, pids } = await context.engines();
  const connection = await openMongo(mongoUrl);
  context.onClose(() => connection.close());
  const ranking = openRanking(connection);
  context.progress(`writing ${records} records of ${samples} samples`);
  await seedRecords(connection, records, samples);
  await ranking.ensureIndexes();
  await ranking.ensureBoard();
  context.progress(`re-ranking with ${workers} workers`);
  const costs = await measureRerank(context, connection, ranking, { workers, rounds });
  context.progress(`re-ranked in ${(costs.ms / 1_000).toFixed(1)} s; sorting only`);
  const argsortMs = await sortAndCompare(ranking, records);
  // A pipeline may take longer than the service's time limit for commands.
  const unlimited = await openMongo(mongoUrl, { commandMs: 0 });
  context.onClose(() => unlimited.close());
  const ranked: Costs['peers'][number][] = [];
  for (const peer of peers === 0 ? [] : PEERS) {
    context.progress(`MongoDB ranks: ${peer.name}`);
    ranked.push({ ...peer, costs: await rankOnServer(unlimited, peer.into, peer.pipelines, pids.mongo) });
  }
  return report(context, records, { rerank: costs, argsortMs, peers: ranked });
}

/** Compares the board with the sorted population. */
async function sortAndCompare(ranking: Ranking, records: number): Promise<number> {
  const reader = await ranking.openBoardReader(rethrow);
  try {
    return compareWithBoard(reader.view(), naiveYields(2, records));
  } finally {
    await reader.close();
  }
}

/** Milliseconds to sort every window's Yields. @throws when the board has other first entries. */
function compareWithBoard({ topEntries, totals }: BoardOverview, population: ReturnType<typeof naiveYields>): number {
  let ms = 0;
  for (const [window, name] of WINDOWS.entries()) {
    const yields = population[window]!;
    const started = performance.now();
    const order = bareArgsort(yields);
    ms += performance.now() - started;
    const expected = [...order.subarray(0, COMPARED_ENTRIES)].map((index) => yields[index]);
    const seen = topEntries[name].map(({ yield_ }) => yield_);
    const same = seen.length === expected.length && seen.every((yield_, index) => yield_ === expected[index]);
    if (!same || totals[name] !== order.length)
      throw new Error(`the board of ${name} differs from the sorted population`);
  }
  return ms;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

function report(context: BenchContext, records: number, { rerank: own, argsortMs, peers }: Costs): BenchResult {
  const cpu = sum(Object.values(own.cpu));
  context.table(`Four windows of ${records} records, ranked and stored`, [
    ['by', 'wall', 'times as long', 'CPU', 'written'],
    ['re-rank and switch', seconds(own.ms), '1.0', `${cpu.toFixed(1)} s`, mebibytes(own.bytes)],
    ...peers.map(({ name, costs }) => [
      `$setWindowFields into ${name}`,
      seconds(costs.ms),
      (costs.ms / own.ms).toFixed(1),
      `${costs.cpu.toFixed(1)} s`,
      mebibytes(costs.bytes),
    ]),
    ['bare argsort in memory', seconds(argsortMs), (argsortMs / own.ms).toFixed(2), '', ''],
  ]);
  context.progress(METHOD);
  const memory = Math.max(...own.workerBytes);
  const figures: Figure[] = [
    ...peers.map(({ name, costs, target }) =>
      figure(`against ${name}`, own.ms, 'ms', costs.ms / own.ms, `$setWindowFields into ${name}`, target),
    ),
    figure('most memory of a worker', memory / MIB, 'MiB', null, 'a limit', {
      atMost: threeDigits(MAX_WORKER_BYTES / MIB),
    }),
    figure('written', own.bytes / MIB, 'MiB'),
    ...boundsFigures(own),
    figure('bare argsort', argsortMs, 'ms', own.ms / argsortMs, 're-rank over it'),
  ];
  const { ratio, against, target } = figures[0]!;
  const whole = figure('rerank', own.ms, 'ms', ratio, against, target);
  return { ...whole, figures, details: { records, ...own, argsortMs, peers } };
}

/** A change of bounds against a re-rank without rules. */
function boundsFigures({ plain, withRules }: RerankCosts): readonly Figure[] {
  const [ms, cpu] = [withRules.ms / plain.ms, withRules.cpu / plain.cpu];
  const limit = { atMost: MAX_BOUNDS_RATIO };
  return [
    figure('change of bounds', withRules.ms, 'ms', ms, 're-rank without rules', limit),
    figure('change of bounds, by CPU time', withRules.cpu * 1_000, 'ms', cpu, 're-rank without rules', limit),
  ];
}

/** The indices of ranked operators by descending Yield: a comparator sort only. */
function bareArgsort(yields: Float64Array): Uint32Array {
  const ranked = Uint32Array.from(yields.keys()).filter((index) => !Number.isNaN(yields[index]!));
  return ranked.sort((one, other) => yields[other]! - yields[one]! || one - other);
}
