import { randomBytes } from 'node:crypto';
import type { Connection } from '../../../engine/mongo/index.ts';
import { deltaLimit } from '../../../engine/ranking/core/board/index.ts';
import { createOperatorChanger } from '../commit/change-operators.ts';
import type { BenchContext } from '../frame/bench.ts';
import { openRanking, rethrow, withMongo } from '../frame/open-ranking.ts';
import { backdateOperators, seedPopulation } from '../frame/seed-population.ts';

/** Share of the delta limit, or of a smaller population, that the commits change. */
const SHARE_CHANGED = 0.8;

/** URL of a new database. */
export async function databaseFor(context: BenchContext, operators: number): Promise<string> {
  const url = new URL((await context.engines()).mongoUrl);
  url.pathname += `-${operators}-${randomBytes(3).toString('hex')}`;
  return url.href;
}

/**
 * Fills an empty database with a population as in production: commits since the last compaction have nearly filled the
 * delta, and `reconcile-operators` has nothing to check.
 */
export async function fillPopulation(context: BenchContext, mongoUrl: string, operators: number): Promise<void> {
  const { commits } = context.options({ commits: [40, 2] });
  await seedPopulation(mongoUrl, operators);
  await withMongo(mongoUrl, async (connection) => {
    await changeSome(connection, operators, commits);
    await backdateOperators(connection);
  });
}

async function changeSome(connection: Connection, operators: number, commits: number): Promise<void> {
  const changes = Math.floor((SHARE_CHANGED * Math.min(deltaLimit(operators), operators)) / commits);
  if (changes === 0) return;
  const changer = createOperatorChanger();
  const ranking = openRanking(connection, { deviceKeys: changer.deviceKeys });
  const committer = ranking.createCommitter(() => undefined, rethrow);
  for (let commit = 0; commit < commits; commit++) {
    await changer.change(ranking, operators, changes);
    await committer.tick();
  }
  await committer.close();
}
