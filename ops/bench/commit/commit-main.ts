import { openMongo } from '../../../engine/mongo/index.ts';
import { cpuSeconds } from '../frame/cpu-time.ts';
import { openRanking, rethrow } from '../frame/open-ranking.ts';
import { seedPopulation } from '../frame/seed-population.ts';
import { timed } from '../frame/statistics.ts';
import { serveTasks } from '../frame/task-process.ts';
import { createOperatorChanger } from './change-operators.ts';

/**
 * Seeds a population in this process, then changes, compacts and garbage-collects it as requested over IPC:
 * `commit-main.ts MONGO_URL MONGO_PID OPERATORS CHANGES`. It is ready once the population is seeded.
 */
const [mongoUrl = '', mongoPid = '', ...numbers] = process.argv.slice(2);
const [operators = 0, changes = 0] = numbers.map(Number);

/** Parts are collected once they are ten minutes old. */
const COLLECTOR_AHEAD_MS = 11 * 60_000;

/** Cost of one task in milliseconds: wall-clock time, and CPU time of the committer and MongoDB together. */
export type Cost = Awaited<ReturnType<typeof costOf>>;

async function cpuNow(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + (await cpuSeconds(Number(mongoPid))) * 1_000;
}

async function costOf(work: () => Promise<unknown>) {
  const cpuBefore = await cpuNow();
  const { ms: wallMs } = await timed(work);
  return { wallMs, cpuMs: (await cpuNow()) - cpuBefore };
}

const { ms: seedMs } = await timed(() => seedPopulation(mongoUrl, operators));

const connection = await openMongo(mongoUrl);
const changer = createOperatorChanger();
let published = 0;
const { deviceKeys } = changer;
const ranking = openRanking(connection, {
  deviceKeys,
  report: {
    committed: (commit) => {
      published += commit.operators;
    },
  },
});
const collector = openRanking(connection, { deviceKeys, clock: () => Date.now() + COLLECTOR_AHEAD_MS });
const committer = ranking.createCommitter(() => undefined, rethrow);

/** Measures one commit of many changes, without making the changes. */
async function measureCommit(): Promise<Cost> {
  await changer.change(ranking, operators, changes);
  published = 0;
  const cost = await costOf(() => committer.tick());
  if (published < changes) throw new Error(`a commit published ${published} of ${changes} changes`);
  return cost;
}

/** Measures one garbage collection after a compaction, without the compaction. */
async function measureCollection(): Promise<{ readonly cost: Cost; readonly parts: number }> {
  await measureCommit();
  await ranking.compactBoard();
  let parts = 0;
  const cost = await costOf(async () => {
    parts = await collector.collectGarbage();
  });
  return { cost, parts };
}

const tasks = {
  commit: measureCommit,
  compact: () => costOf(() => ranking.compactBoard()),
  collectGarbage: measureCollection,
  /** The last task. */
  async end() {
    const committerBytes = process.memoryUsage.rss();
    await committer.close();
    await connection.close();
    return { seedMs, committerBytes };
  },
};

export type PopulationTasks = typeof tasks;
serveTasks(tasks);
