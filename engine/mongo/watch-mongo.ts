import type { Connection } from 'mongoose';
import { databaseOf } from './indexes.ts';
import { readStoredData } from './stored-data.ts';

/** Connection pool usage of one process. */
interface PoolUse {
  readonly open: number;
  readonly inUse: number;
  /** Operations waiting for a connection. */
  readonly wanted: number;
}

/** What is reported about MongoDB; pool events are counted from now on. */
export function watchMongo(connection: Connection) {
  return {
    ping: () => pingMongo(connection),
    poolUse: watchPool(connection),
    readStored: () => readStoredData(connection),
  };
}

/** Throws when MongoDB does not respond. */
async function pingMongo(connection: Connection): Promise<void> {
  await databaseOf(connection).command({ ping: 1 });
}

/** Counts pool events from now on; the returned function gives the current usage. Ends with the connection. */
function watchPool(connection: Connection): () => PoolUse {
  const client = connection.getClient();
  let [open, inUse, asked] = [0, 0, 0];
  client.on('connectionCreated', () => (open += 1));
  client.on('connectionClosed', () => (open -= 1));
  client.on('connectionCheckOutStarted', () => (asked += 1));
  client.on('connectionCheckOutFailed', () => (asked -= 1));
  client.on('connectionCheckedOut', () => {
    asked -= 1;
    inUse += 1;
  });
  client.on('connectionCheckedIn', () => (inUse -= 1));
  // Connections from before are not counted, so their closing can make a counter negative.
  return () => ({ open: Math.max(0, open), inUse: Math.max(0, inUse), wanted: Math.max(0, asked) });
}
