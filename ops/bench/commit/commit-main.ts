import { openMongo } from '../../../engine/mongo/index.ts';
import { createRanking } from '../../../engine/ranking/index.ts';
import { cpuSeconds } from '../frame/cpu-time.ts';
import { seedPopulation } from '../frame/seed-population.ts';
import { createOperatorChanger } from './change-operators.ts';
import type { Cost, PopulationReply, PopulationTask } from './population-process.ts';

/**
 * A field of its own, seeded and then changed, compacted and swept as it is told, in a process of its own:
 * `commit-main.ts MONGO_URL MONGO_PID OPERATORS CHANGES`. Announces itself once the field is there.
 */
const [mongoUrl = '', mongoPid = '', ...numbers] = process.argv.slice(2);
const [operators = 0, changes = 0] = numbers.map(Number);

/** Parts are swept once they are ten minutes old. */
const SWEEPER_AHEAD_MS = 11 * 60_000;

const rethrow = (error: unknown): never => {
  throw error;
};

async function cpuNow(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + ((await cpuSeconds(Number(mongoPid))) ?? 0) * 1_000;
}

async function timed(work: () => Promise<unknown>): Promise<Cost> {
  const cpuBefore = await cpuNow();
  const started = performance.now();
  await work();
  const wallMs = performance.now() - started;
  return { wallMs, cpuMs: (await cpuNow()) - cpuBefore };
}

const seeding = performance.now();
await seedPopulation(mongoUrl, operators);
const seedMs = performance.now() - seeding;

const connection = await openMongo(mongoUrl);
const changer = createOperatorChanger();
let published = 0;
const ranking = createRanking({
  connection,
  clock: Date.now,
  deviceKeys: changer.deviceKeys,
  sharedSecret: async (name) => name,
  report: {
    committed: (commit) => {
      published = commit.operators;
    },
  },
});
const sweeper = createRanking({
  connection,
  clock: () => Date.now() + SWEEPER_AHEAD_MS,
  deviceKeys: changer.deviceKeys,
  sharedSecret: async (name) => name,
});
const committer = ranking.createCommitter(() => undefined, rethrow);

/** One commit of many changes; the changes themselves do not count. */
async function makeCommit(): Promise<Cost> {
  await changer.change(ranking, operators, changes);
  published = 0;
  const cost = await timed(() => committer.tick());
  if (published < changes) throw new Error(`a commit published ${published} of ${changes} changes`);
  return cost;
}

/** One sweep of what a compaction has left, which is made first and does not count. */
async function makeSweep(): Promise<{ readonly cost: Cost; readonly parts: number }> {
  await makeCommit();
  await ranking.compactBoard();
  let parts = 0;
  const cost = await timed(async () => {
    parts = await sweeper.collectGarbage();
  });
  return { cost, parts };
}

const answer = async (task: PopulationTask): Promise<PopulationReply> => {
  if (task.kind === 'commit') return { cost: await makeCommit(), parts: 0 };
  if (task.kind === 'compact') return { cost: await timed(() => ranking.compactBoard()), parts: 0 };
  if (task.kind === 'collectGarbage') return makeSweep();
  const committerBytes = process.memoryUsage.rss();
  await committer.close();
  await connection.close();
  return { seedMs, committerBytes };
};

process.on('message', (task: PopulationTask) => void answer(task).then((told) => process.send?.(told)));
process.send?.('ready');
