import type { Connection } from 'mongoose';

/** The connections of one process to MongoDB. */
export interface PoolUse {
  readonly open: number;
  readonly inUse: number;
  /** Operations that wait for a connection. */
  readonly wanted: number;
}

/** Counts a connection's pool from now on; the answer tells how it stands. Ends with the connection. */
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
  // What was open, in use or asked for before is not known here, and ends as one less.
  return () => ({ open: Math.max(0, open), inUse: Math.max(0, inUse), wanted: Math.max(0, asked) });
}
