import { randomBytes } from 'node:crypto';
import { openMongo } from '../../../engine/mongo/index.ts';
import { createRanking } from '../../../engine/ranking/index.ts';
import type { BenchContext } from '../bench.ts';
import { createOperatorChanger } from '../commit/change-operators.ts';
import { seedField } from '../frame/seed-field.ts';

/** Commits since the board was sorted, and the share of the field that they changed: it is sorted anew at a tenth. */
const COMMITS = { full: 40, tiny: 2 } as const;
const SHARE_CHANGED = 0.08;

const rethrow = (error: unknown): never => {
  throw error;
};

/** The address of a database of its own. */
export async function databaseFor(context: BenchContext, operators: number): Promise<string> {
  const url = new URL((await context.engines()).mongoUrl);
  url.pathname += `-${operators}-${randomBytes(3).toString('hex')}`;
  return url.href;
}

/**
 * Fills an empty database with a field as it is found in service: commits have changed nearly as many operators as lead to
 * sorting the board anew, and the healer has been there.
 */
export async function fillField(context: BenchContext, mongoUrl: string, operators: number): Promise<void> {
  await seedField(mongoUrl, operators);
  await changeSome(mongoUrl, operators, context.option('commits', COMMITS));
  await healed(mongoUrl);
}

async function changeSome(mongoUrl: string, operators: number, commits: number): Promise<void> {
  const changes = Math.floor((operators * SHARE_CHANGED) / commits);
  if (changes === 0) return;
  const connection = await openMongo(mongoUrl);
  try {
    const changer = createOperatorChanger();
    const ranking = createRanking({ connection, clock: Date.now, deviceKeys: changer.deviceKeys });
    const committer = ranking.createCommitter(() => undefined, rethrow);
    for (let commit = 0; commit < commits; commit++) {
      await changer.change(ranking, operators, changes);
      await committer.tick();
    }
    await committer.close();
  } finally {
    await connection.close();
  }
}

/** The healer has nothing to walk: it would walk all that was loaded while others are measured. */
async function healed(mongoUrl: string): Promise<void> {
  const connection = await openMongo(mongoUrl);
  const progress = connection.collection<{ _id: string; value: string }>('progress');
  await progress.updateOne({ _id: 'heal.from' }, { $set: { value: String(Date.now()) } }, { upsert: true });
  await connection.close();
}
