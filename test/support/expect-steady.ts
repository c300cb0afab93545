import { expect } from 'chai';
import type { Connection } from '../../engine/mongo/index.ts';
import { eventually } from './eventually.ts';
import type { SteadyLoad } from './steady-load.ts';

/**
 * Checks the stores and the board against the responses of a steady load: every acknowledged snapshot is in the log, in one
 * batch, which has one verdict without refusals, and the all-time board contains the latest of them.
 */
export async function expectSteady({ db }: Connection, base: string, load: SteadyLoad): Promise<void> {
  const log = await db!.collection<{ _id: string; batch: string }>('snapshots').find().toArray();
  const batchOf = new Map(log.map(({ _id, batch }) => [_id, batch]));
  const missing = [...load.acknowledged.keys()].filter((id) => !batchOf.has(id));
  expect(missing, 'acknowledged and not in the log').to.deep.equal([]);
  const batches = [...new Set(batchOf.values())];
  const verdicts = db!.collection<{ _id: string; refused: unknown[] }>('verdicts');
  await eventually(
    'a verdict for every group',
    async () => (await verdicts.countDocuments({ _id: { $in: batches } })) === batches.length,
  );
  const decided = await verdicts.find().toArray();
  expect(decided.map(({ _id }) => _id).toSorted(), 'verdicts, one a group').to.deep.equal(batches.toSorted());
  expect(
    decided.flatMap(({ refused }) => refused),
    'refused entries',
  ).to.deep.equal([]);
  await expectBoard(base, load.yields());
}

async function expectBoard(base: string, yields: ReadonlyMap<string, number>): Promise<void> {
  const expected = [...yields].toSorted(([a, yieldA], [b, yieldB]) => yieldB - yieldA || a.localeCompare(b));
  let seen: unknown;
  const look = async (): Promise<boolean> => {
    const response = await fetch(`${base}/leaderboard?window=all_time&limit=100`);
    const { entries }: { entries: { codename: string; yield_: number }[] } = JSON.parse(await response.text());
    const shown = entries.map(({ codename, yield_ }): [string, number] => [codename, yield_]);
    seen = shown.toSorted(([a, yieldA], [b, yieldB]) => yieldB - yieldA || a.localeCompare(b));
    return JSON.stringify(seen) === JSON.stringify(expected);
  };
  await eventually('the board', look).catch(() => expect(seen, 'the board').to.deep.equal(expected));
}
