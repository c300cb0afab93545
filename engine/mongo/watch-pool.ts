import type { Connection } from 'mongoose';

/** Connection pool usage of one process. */
export interface PoolUse {
  readonly open: number;
  readonly inUse: number;
  /** Operations waiting for a connection. */
  readonly wanted: number;
}

/** Counts pool events from now on; the returned function gives the current usage. Ends with the connection. */
export function watchPool(connection: Connection): () => PoolUse {
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
