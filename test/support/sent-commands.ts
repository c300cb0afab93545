import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import type { FreshDatabase } from './engines.ts';

/** A connection to a database that records `COMMAND COLLECTION` when one is sent, and `done COMMAND COLLECTION` when it succeeded. */
export async function openRecorded({
  mongoUrl,
}: FreshDatabase): Promise<{ readonly connection: Connection; readonly sent: readonly string[] }> {
  const connection = await openMongo(`${mongoUrl}&monitorCommands=true`);
  const sent: string[] = [];
  const names = new Map<number, string>();
  connection.getClient().on('commandStarted', ({ requestId, commandName, command }) => {
    names.set(requestId, `${commandName} ${command[commandName]}`);
    sent.push(names.get(requestId)!);
  });
  connection.getClient().on('commandSucceeded', ({ requestId }) => sent.push(`done ${names.get(requestId)}`));
  return { connection, sent };
}
