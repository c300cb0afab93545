import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { byWindow, WINDOWS } from '../../../engine/contract/windows.ts';
import { type Connection, MIGRATIONS, migrate, openMongo } from '../../../engine/mongo/index.ts';
import {
  createRanking,
  type DeviceKey,
  type Profile,
  type Ranking,
  type RowIntegrity,
} from '../../../engine/ranking/index.ts';
import { freshDatabase } from '../../support/engines.ts';
import { EXPORT, storeExport } from '../../support/export-of-version-3.ts';
import { namedDeviceKey } from '../../support/signing.ts';

const OPERATORS = 9;
/** Prepared writes are abandoned, and batches reconciled, after at most this long. */
const SETTLED_MS = 60_000;

interface Expected {
  readonly now: number;
  readonly boards: Readonly<Record<string, unknown>>;
  readonly profiles: readonly unknown[];
  readonly histories: readonly unknown[];
}

const expected: Expected = JSON.parse(gunzipSync(readFileSync(`${EXPORT}expected.json.gz`)).toString('utf8'));
const RETIRED = ['change_lists', 'change_trail', 'carries', 'board_roots', 'board_bases', 'board_tops'];

const rethrow = (error: unknown): never => {
  throw error;
};

/** A profile with the members that it had then. */
function membersThen(profile: Profile | null): unknown {
  if (profile === null) return null;
  const { movement_24h_since: _day, movement_7d_since: _week, provenance: _provenance, windows, ...standing } = profile;
  return { ...withoutReason(standing), windows: byWindow((window) => withoutReason(windows[WINDOWS[window]!])) };
}

function withoutReason<T extends { readonly unranked: unknown; readonly missing: unknown } & RowIntegrity>({
  unranked: _reason,
  missing: _missing,
  ...members
}: T) {
  return withoutReliance(members);
}

function withoutReliance<T extends RowIntegrity>(row: T) {
  const { integrity: _integrity, provisional: _provisional, yield_range: _range, ...members } = row;
  return members;
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const AFTER_3 = MIGRATIONS.map(({ version }) => version).filter((version) => version > 3);

describe('data of version 3', () => {
  let connection: Connection;
  let ranking: Ranking;
  let { now } = expected;
  const migrateNow = (): Promise<readonly number[]> =>
    migrate(connection, { migrations: MIGRATIONS, clock: () => now });

  before(async () => {
    connection = await openMongo((await freshDatabase()).mongoUrl);
    const keys = new Map<string, DeviceKey>();
    for (let operator = 1; operator <= OPERATORS; operator++) {
      const { kid, x } = namedDeviceKey(`fault-${operator - 1}`);
      keys.set(kid, { kid, operator, publicKey: x, revokedAt: null });
    }
    ranking = createRanking({
      connection,
      clock: () => now,
      deviceKeys: async (kids) => new Map(kids.flatMap((kid) => (keys.has(kid) ? [[kid, keys.get(kid)!]] : []))),
      sharedSecret: async (name) => `the secret ${name}`,
    });
    await storeExport(connection);
    expect(await migrateNow()).to.deep.equal(AFTER_3);
    await ranking.ensureIndexes();
  });

  after(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  it('shows the same boards, profiles, movement and histories', async () => {
    const reader = await ranking.openBoardReader(rethrow);
    for (const window of WINDOWS) {
      const entries = await reader.entries(window, 0, 100);
      expect(asJson(entries.map(withoutReliance)), window).to.deep.equal(expected.boards[window]);
    }
    for (let index = 0; index < OPERATORS; index++) {
      expect(asJson(membersThen(await reader.profile(`fault-${index}`)))).to.deep.equal(expected.profiles[index]);
      for (const [place, window] of WINDOWS.entries()) {
        const history = await reader.history(`fault-${index}`, window);
        expect(asJson(history)).to.deep.equal(expected.histories[index * WINDOWS.length + place]);
      }
    }
    await reader.close();
  });

  it('keeps nothing under a retired name', async () => {
    const names = (await connection.db!.listCollections().toArray()).map(({ name }) => name);
    expect(names).to.not.include.members(RETIRED);
    const retired = {
      $or: ['group', 'held_at', 'tip', 'stamp', 'tops', 'sweeps'].map((name) => ({ [name]: { $exists: true } })),
    };
    for (const name of names) {
      expect(await connection.collection(name).countDocuments(retired), name).to.equal(0);
    }
  });

  it('continues to process logged batches, write intents and due operators', async () => {
    now += SETTLED_MS;
    const processed: string[] = [];
    await ranking.reconcileLog(async (batch) => {
      processed.push(batch);
      await ranking.processBatch(batch, await ranking.log.ofBatch(batch));
    });
    expect(processed).to.have.lengthOf(1);
    await ranking.advanceHour();
    const committer = ranking.createCommitter(() => undefined, rethrow);
    while (await committer.tick());
    await committer.close();
    expect(await connection.collection('dirty_sets').countDocuments()).to.equal(0);
    expect(await ranking.repair.verifyBoard()).to.deep.equal([]);
  });

  it('is migrated again without harm after a crash anywhere', async () => {
    await connection.collection<{ _id: string }>('schema').updateOne({ _id: 'schema' }, { $set: { version: 3 } });
    expect(await migrateNow()).to.deep.equal(AFTER_3);
    expect(await ranking.repair.verifyBoard()).to.deep.equal([]);
  });
});
