import { type Connection, openMongo } from '../../../engine/mongo/index.ts';
import { createRanking, type DeviceKeyLookup, type Ranking } from '../../../engine/ranking/index.ts';

const noDeviceKeys: DeviceKeyLookup = async () => new Map();

/** The ranking engine over a connection: without device keys, unless `options` have them. */
export function openRanking(
  connection: Connection,
  options: Partial<Parameters<typeof createRanking>[0]> = {},
): Ranking {
  return createRanking({
    connection,
    clock: Date.now,
    deviceKeys: noDeviceKeys,
    sharedSecret: async (name) => name,
    ...options,
  });
}

/** Runs work with a connection to a database. */
export async function withMongo<T>(mongoUrl: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await openMongo(mongoUrl);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** An error handler for what must not fail. */
export const rethrow = (error: unknown): never => {
  throw error;
};
