import { expect } from 'chai';
import { HOUR_MS, MS_PER_SECOND } from '../../config/units.ts';
import { WINDOWS } from '../../engine/contract/index.ts';
import { COUNT_FIELDS } from '../../engine/contract/signing/index.ts';
import { WINDOW_NUMBERS, windowNumber } from '../../engine/integrity/index.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import type { Ranking } from '../../engine/ranking/index.ts';
import { methodology1 } from '../../engine/ranking/methodologies/methodology-1.ts';
import { decodeTotals, type OperatorDocument } from '../../engine/ranking/storage/operator-codec.ts';
import { entriesOn } from '../support/board-entries.ts';
import { naiveBoard } from '../support/naive-board.ts';
import { naiveSpreads, naiveVouching, naiveWitness } from '../support/naive-integrity.ts';
import { type NaiveSnapshot, naiveUsage, receivedAt } from '../support/naive-usage.ts';
import { expectReferences } from './check-consistency.ts';
import type { Acknowledged } from './load.ts';
import { isAcceptable, type LoggedEntry } from './verify-again.ts';

interface LoggedSnapshot extends LoggedEntry {
  readonly batch: string;
  readonly received_at: Date;
}

interface StoredVerdict {
  readonly _id: string;
  readonly refused: readonly { readonly entry: string }[];
}

const PAGE = 50;

/**
 * Checks a database against the acknowledged snapshots, its verdicts against an independent verification, and its boards
 * and the numbers of windows against the model of the log. `now` is the time by the service's clocks. Throws an AssertionError for a violation.
 */
export async function checkLog(
  connection: Connection,
  ranking: Ranking,
  acknowledged: ReadonlyMap<string, Acknowledged>,
  now = Date.now(),
): Promise<{ readonly logged: number; readonly operators: number }> {
  const db = connection.db!;
  const log = await db.collection<LoggedSnapshot>('snapshots').find().toArray();
  const refused = await refusedEntries(db, log);
  for (const entry of log) expect(refused.has(entry._id), `${entry._id} is refused`).to.equal(!isAcceptable(entry));
  const logged = new Map(log.map(({ _id, signature }) => [_id, signature]));
  for (const { id, signature, accepted } of acknowledged.values()) {
    expect(logged.get(id), `${id} was acknowledged and is in the log`).to.equal(signature);
    if (accepted !== null)
      expect(accepted, `the response for ${id} equals the stored verdict`).to.equal(!refused.has(id));
  }
  const dirtySets = await db.collection('dirty_sets').find().toArray();
  expect(dirtySets, 'dirty sets').to.deep.equal([]);
  await expectReferences({ world: { connection } });
  await expectBoards(connection, ranking, usageByOperator(log, refused), now);
  return { logged: log.length, operators: new Set(log.map(({ _id }) => _id.split('.')[0])).size };
}

/** The refused entries; every batch must have its verdict. */
async function refusedEntries(db: NonNullable<Connection['db']>, log: readonly LoggedSnapshot[]): Promise<Set<string>> {
  const verdicts = await db.collection<StoredVerdict>('verdicts').find().toArray();
  const decided = new Set(verdicts.map(({ _id }) => _id));
  const undecided = [...new Set(log.map(({ batch }) => batch))].filter((batch) => !decided.has(batch));
  expect(undecided, 'batches without a verdict').to.deep.equal([]);
  return new Set(verdicts.flatMap((verdict) => verdict.refused.map(({ entry }) => entry)));
}

function usageByOperator(log: readonly LoggedSnapshot[], refused: ReadonlySet<string>): Map<number, NaiveSnapshot[]> {
  const snapshots = new Map<number, NaiveSnapshot[]>();
  for (const { _id, counts, platform = 'unspecified', signature, received_at } of log) {
    if (refused.has(_id)) continue;
    const header: { as_of: number; stream: string } = JSON.parse(
      Buffer.from(signature.split('.')[0]!, 'base64url').toString('utf8'),
    );
    const operator = Number(_id.split('.')[0]);
    const ofOperator = snapshots.get(operator) ?? [];
    snapshots.set(operator, ofOperator);
    const snapshot = { ledger: header.stream, platform, epoch: 0, asOf: header.as_of * MS_PER_SECOND, counts };
    ofOperator.push(receivedAt(snapshot, received_at.getTime()));
  }
  return snapshots;
}

async function expectBoards(
  connection: Connection,
  ranking: Ranking,
  snapshots: Map<number, NaiveSnapshot[]>,
  now: number,
): Promise<void> {
  const manifests = connection.db!.collection<{ _id: string; hour: number }>('board_manifests');
  const hour = (await manifests.findOne({ _id: 'manifest' }))?.hour ?? 0;
  expect(hour, 'the hour of the board').to.be.at.least(Math.floor(now / HOUR_MS) - 1);
  const usage = new Map(
    [...snapshots].map(([operator, ofOperator]) => [operator, naiveUsage(ofOperator, hour * HOUR_MS + 1)]),
  );
  await expectTotals(connection, snapshots, hour * HOUR_MS + 1);
  const yields = new Map([...usage].map(([operator, windows]) => [operator, windows.map(({ yield_ }) => yield_)]));
  const model = naiveBoard(yields, WINDOWS.length, methodology1.tiers);
  const reader = await ranking.openBoardReader(() => undefined);
  try {
    for (const [window, name] of WINDOWS.entries()) {
      const expected = model[window]!.entries.map(({ yield_, rank, percentile }) => ({ yield_, rank, percentile }));
      const shown = [];
      for (let offset = 0; offset < expected.length; offset += PAGE) {
        shown.push(...(await entriesOn(reader, name, offset, PAGE)));
      }
      const seen = shown.map(({ yield_, rank, percentile }) => ({ yield_, rank, percentile }));
      expect(seen, `board of ${name}`).to.deep.equal(expected);
      expect(reader.view().totals[name], `total of ${name}`).to.equal(expected.length);
    }
  } finally {
    await reader.close();
  }
}

/** The stored window totals, where every accepted snapshot counts exactly once, and what else their samples show. */
async function expectTotals(
  connection: Connection,
  snapshots: ReadonlyMap<number, readonly NaiveSnapshot[]>,
  now: number,
): Promise<void> {
  const operators = await connection.db!.collection<OperatorDocument>('operators').find().toArray();
  for (const operator of operators) {
    const { _id } = operator;
    const stored = decodeTotals(operator);
    const own = snapshots.get(_id) ?? [];
    const usage = naiveUsage(own, now);
    const counts = stored.filter((_, at) => at % WINDOW_NUMBERS < COUNT_FIELDS.length);
    expect([...counts], `totals of operator ${_id}`).to.deep.equal(usage.flatMap((window) => window.totals));
    const witness = naiveWitness(own, now);
    for (const [window, { days, spread }] of naiveSpreads(own, now).entries()) {
      const about = `operator ${_id} in ${WINDOWS[window]}`;
      const [input = 0, output = 0, reads = 0] = usage[window]!.totals;
      const vouching = input > 0 ? naiveVouching(witness, (reads / input) * (output / input)) : 0;
      expect(windowNumber(stored, window, 'vouching'), `vouching days of ${about}`).to.equal(vouching);
      expect(windowNumber(stored, window, 'days'), `days of ${about}`).to.equal(days);
      expect(windowNumber(stored, window, 'spread'), `spread of ${about}`).to.be.closeTo(spread, 1e-6);
    }
  }
}
