import { type Connection, MIGRATIONS, migrate } from '../../../engine/mongo/index.ts';
import { createRanking, type DeviceKeyLookup, type Ranking } from '../../../engine/ranking/index.ts';

type Options = Partial<Parameters<typeof createRanking>[0]>;

const noDeviceKeys: DeviceKeyLookup = async () => new Map();

/** The ranking engine over a connection: without device keys, unless `options` have them. */
export function openRanking(connection: Connection, options: Options = {}): Ranking {
  return createRanking({
    connection,
    clock: Date.now,
    deviceKeys: noDeviceKeys,
    sharedSecret: async (name) => name,
    ...options,
  });
}

/** As `openRanking`, in a database that is made ready. Sets the schema version: otherwise the first process would migrate. */
export async function createDatabase(connection: Connection, options: Options = {}): Promise<Ranking> {
  await migrate(connection, { migrations: MIGRATIONS, clock: Date.now });
  const ranking = openRanking(connection, options);
  await ranking.ensureIndexes();
  await ranking.ensureBoard();
  return ranking;
}

/** An error handler for what must not fail. */
export const rethrow = (error: unknown): never => {
  throw error;
};
