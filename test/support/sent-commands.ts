import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import type { FreshDatabase } from './engines.ts';

/** A connection to a database that records `to COLLECTION` when a command is sent, and `done COLLECTION` when it succeeded. */
export async function openRecorded({
  mongoUrl,
}: FreshDatabase): Promise<{ readonly connection: Connection; readonly sent: readonly string[] }> {
  const connection = await openMongo(`${mongoUrl}&monitorCommands=true`);
  const sent: string[] = [];
  const collections = new Map<number, string>();
  connection.getClient().on('commandStarted', ({ requestId, command }) => {
    const collection = String(Object.values(command)[0]);
    collections.set(requestId, collection);
    sent.push(`to ${collection}`);
  });
  connection.getClient().on('commandSucceeded', ({ requestId }) => sent.push(`done ${collections.get(requestId)}`));
  return { connection, sent };
}
