import { openMongo } from '../../../engine/mongo/index.ts';
import { createRanking } from '../../../engine/ranking/index.ts';
import { cpuSeconds, residentBytes } from '../frame/cpu-time.ts';
import { seedField } from '../frame/seed-field.ts';
import { createOperatorChanger } from './change-operators.ts';
import type { Cost, FieldCosts } from './field-costs.ts';

/**
 * Commits and compactions over one field, in a process of its own:
 * `commit-main.ts MONGO_URL MONGO_PID OPERATORS COMMITS CHANGES`. Tells its parent what they cost.
 */
const [mongoUrl = '', mongoPid = '', ...numbers] = process.argv.slice(2);
const [operators = 0, commits = 0, changes = 0] = numbers.map(Number);

/** Commits before those that count, for the code to be compiled and the table of Yields to be read. */
const WARM_UP_COMMITS = 5;
const COMPACTIONS = 3;
/** One takes from 90 to 260 ms in a large field, by what the database has in memory: their median needs many. */
const SWEEPS = 15;
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
await seedField(mongoUrl, operators);
const seedMs = performance.now() - seeding;

const connection = await openMongo(mongoUrl);
const changer = createOperatorChanger();
let published = 0;
const ranking = createRanking({
  connection,
  clock: Date.now,
  deviceKeys: changer.deviceKeys,
  report: {
    committed: (commit) => {
      published = commit.operators;
    },
  },
});
const committer = ranking.createCommitter(() => undefined, rethrow);
const costs: Cost[] = [];
const compactions: Cost[] = [];
for (let round = 0; round < COMPACTIONS; round++) {
  for (let commit = -WARM_UP_COMMITS; commit < commits / COMPACTIONS; commit++) {
    await changer.change(ranking, operators, changes);
    published = 0;
    const cost = await timed(() => committer.tick());
    if (published < changes) throw new Error(`a commit published ${published} of ${changes} changes`);
    if (commit >= 0) costs.push(cost);
  }
  compactions.push(await timed(() => ranking.compactBoard()));
}
let sweptParts = 0;
const sweeper = createRanking({
  connection,
  clock: () => Date.now() + SWEEPER_AHEAD_MS,
  deviceKeys: changer.deviceKeys,
});
const sweeps: Cost[] = [];
// What the rounds above left is swept first, and counts for nothing.
await sweeper.sweepBoard();
for (let round = 0; round < SWEEPS; round++) {
  await changer.change(ranking, operators, changes);
  await committer.tick();
  await ranking.compactBoard();
  sweeps.push(
    await timed(async () => {
      sweptParts += await sweeper.sweepBoard();
    }),
  );
}
const [committerBytes, mongoBytes] = [process.memoryUsage.rss(), await residentBytes(Number(mongoPid))];
await committer.close();
await connection.close();
const field = { operators, seedMs, commits: costs, compactions };
const result: FieldCosts = { ...field, sweeps, sweptParts: sweptParts / SWEEPS, committerBytes, mongoBytes };
process.send?.(result, () => process.exit(0));
