import { type Bench, type BenchContext, type BenchResult, figure } from '../frame/bench.ts';
import { residentBytes } from '../frame/cpu-time.ts';
import { seedPopulation } from '../frame/seed-population.ts';
import { median, threeDigits, timed } from '../frame/statistics.ts';
import { mib } from '../frame/text-table.ts';
import { openBoardStream } from './board-stream.ts';
import { openRedisStream } from './redis-stream.ts';

/** Unmeasured rounds, during which code is compiled and pages are read. */
const WARM_UP_ROUNDS = 6;
const AT_MOST = 2;
/** Least share of operators with a unique Yield. */
const MIN_WITHOUT_TIES = 0.9;

/** The same changes applied to the board and to four sorted sets of Redis, with the all-time rank of each changed operator. */
export const sortedSet: Bench = {
  name: 'sorted-set',
  summary: 'a commit and rank reads against ZADD and ZREVRANK of the same changes in a Redis sorted set a window',
  run,
};

interface Round {
  readonly boardMs: number;
  readonly redisMs: number;
}

async function run(context: BenchContext): Promise<BenchResult> {
  const { operators, changes, rounds } = context.options({
    operators: [1_000_000, 2_000],
    changes: [1_000, 100],
    rounds: [30, 3],
  });
  const { mongoUrl, redisUrl, pids } = await context.engines();
  context.progress(`loading ${operators} operators`);
  await seedPopulation(mongoUrl, operators);
  const board = await openBoardStream(context, mongoUrl, operators);
  const redis = await openRedisStream(context, redisUrl);
  context.progress(`loading ${redis.server}`);
  await redis.load(await board.yields());
  const measured: Round[] = [];
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const changed = await board.change(changes);
    const ours = await timed(() => board.commitAndRank(changed));
    const standings = await board.standings(changed);
    const theirs = await timed(() => redis.addAndRank(standings));
    compare(ours.value, theirs.value);
    if (round >= 0) measured.push({ boardMs: ours.ms, redisMs: theirs.ms });
  }
  const memory = {
    mongo: await residentBytes(pids.mongo ?? 0),
    redis: await redis.memoryBytes(),
  };
  return report(context, { operators, changes, server: redis.server, measured, memory });
}

/** Compares the ranks. Operators with equal Yields share a rank on the board, and have adjacent ranks in a sorted set. */
function compare(ours: readonly number[], theirs: readonly number[]): void {
  const same = ours.filter((rank, index) => rank === theirs[index]);
  const below = ours.filter((rank, index) => rank > (theirs[index] ?? 0));
  if (below.length > 0 || same.length < ours.length * MIN_WITHOUT_TIES) {
    throw new Error(`the board and the sorted sets disagree on ${ours.length - same.length} of ${ours.length} ranks`);
  }
}

function report(
  context: BenchContext,
  found: {
    readonly operators: number;
    readonly changes: number;
    readonly server: string;
    readonly measured: readonly Round[];
    readonly memory: Readonly<Record<string, number>>;
  },
): BenchResult {
  const { operators, changes, server, measured } = found;
  const ours = median(measured.map(({ boardMs }) => boardMs));
  const theirs = median(measured.map(({ redisMs }) => redisMs));
  const worst = (of: (round: Round) => number): string => Math.max(...measured.map(of)).toFixed(1);
  context.table(
    `${changes} changes in four windows and the all-time ranks of the changed operators, ${operators} operators`,
    [
      ['by', 'median ms', 'slowest ms', 'kept'],
      ['commit and rank read', ours.toFixed(1), worst(({ boardMs }) => boardMs), 'journaled, with history'],
      [`ZADD and ZREVRANK, ${server}`, theirs.toFixed(1), worst(({ redisMs }) => redisMs), 'current state only'],
      ['memory of the sets', mib(found.memory['redis'] ?? 0), '', ''],
    ],
  );
  const name = `commit and rank read of ${changes} changes at ${operators} operators`;
  const ratio = median(measured.map(({ boardMs, redisMs }) => boardMs / redisMs));
  const whole = figure(name, ours, 'ms', ratio, `ZADD and ZREVRANK in ${server}`, { atMost: AT_MOST, aim: 1 });
  return { ...whole, name: 'sorted-set', figures: [whole], details: { ...found, redisMs: threeDigits(theirs) } };
}
