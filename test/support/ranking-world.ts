import { type Connection, MIGRATIONS, migrate, openMongo } from '../../engine/mongo/index.ts';
import {
  createRanking,
  type DeviceKey,
  type DeviceKeyLookup,
  type LogEntry,
  type Ranking,
  type RankingDependencies,
} from '../../engine/ranking/index.ts';
import { emptyDatabase, type FreshDatabase, returnDatabase } from './engines.ts';
import { enrolOperator } from './open-engine.ts';
import { PLAIN_METHODOLOGY } from './plain-board.ts';
import { namedDeviceKey, signSnapshot, type TestHeader, type TestPayload } from './signing.ts';

/** Start time of test clocks: a Wednesday, 10:30 UTC. */
export const WORLD_START = Date.UTC(2031, 4, 7, 10, 30);

/** A ranking engine on a separate database, with a clock that the test sets. */
export interface RankingWorld {
  readonly database: FreshDatabase;
  readonly connection: Connection;
  readonly ranking: Ranking;
  /** The keys of all enrolled operators. */
  readonly deviceKeys: DeviceKeyLookup;
  /** Milliseconds since the epoch; set it to let time pass. */
  now: number;
  /** Enrols an operator with a device key. Returns its number. */
  enrol(codename: string): Promise<number>;
  /** A signed log entry received now. */
  entry(operator: number, counts: Partial<TestPayload>, header?: Partial<TestHeader>): LogEntry;
  /** Another engine on the same database, as another process would have. */
  another(extra?: Partial<RankingDependencies>): Ranking;
  close(): Promise<void>;
}

/** Opens one on the shared engines, or on a given database. */
export async function openRankingWorld(own?: FreshDatabase): Promise<RankingWorld> {
  const database = own ?? (await emptyDatabase());
  const connection = await openMongo(database.mongoUrl);
  await migrate(connection, { migrations: MIGRATIONS, clock: () => WORLD_START });
  const keys = new Map<string, DeviceKey>();
  const codenames = new Map<number, string>();
  let entries = 0;
  const deviceKeys: DeviceKeyLookup = async (kids) =>
    new Map(kids.flatMap((kid) => (keys.has(kid) ? [[kid, keys.get(kid)!]] : [])));
  const another = (extra: Partial<RankingDependencies> = {}): Ranking =>
    createRanking({
      connection,
      clock: () => world.now,
      deviceKeys,
      sharedSecret: async (name) => `the secret ${name}`,
      ...extra,
    });
  const ranking = another();
  await ranking.ensureIndexes();
  const world: RankingWorld = {
    database,
    connection,
    ranking,
    deviceKeys,
    now: WORLD_START,
    another,
    async enrol(codename) {
      const operator = await enrolOperator(ranking, codename);
      const { kid, x } = namedDeviceKey(codename);
      keys.set(kid, { kid, operator, publicKey: x, revokedAt: null });
      codenames.set(operator, codename);
      return operator;
    },
    entry(operator, counts, header = {}) {
      const codename = codenames.get(operator)!;
      const payload = { codename, input: 0, output: 0, cache_read: 0, cache_write: 0, ...counts };
      const jti = header.jti ?? `jti-of-entry-${(entries += 1)}`;
      const iat = Math.floor(world.now / 1_000);
      const signature = signSnapshot(namedDeviceKey(codename), payload, { iat, ...header, jti });
      return { operator, jti, receivedAt: world.now, payload, signature };
    },
    async close() {
      await (own === undefined ? returnDatabase(connection) : connection.dropDatabase());
      await connection.close();
    },
  };
  await ranking.ensureBoard(PLAIN_METHODOLOGY);
  return world;
}
