import { type Connection, createConnection } from 'mongoose';

/** Write commands. */
const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify']);

/** A connection of a process that dies after one of its writes. */
interface CutConnection {
  readonly connection: Connection;
  /** The writes so far, by command and collection. */
  readonly writes: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens a connection that fails every command before sending it once `writes` of its writes are acknowledged: later commands
 * do not reach the store, as after the death of the process.
 */
export async function openCutConnection(url: string, writes: number): Promise<CutConnection> {
  const connection = await createConnection(url, { autoIndex: false, monitorCommands: true }).asPromise();
  const made: string[] = [];
  let acknowledged = 0;
  const client = connection.getClient();
  client.on('commandStarted', ({ commandName, command }) => {
    // An error in the listener fails the command before it is sent.
    if (acknowledged >= writes && commandName !== 'endSessions') throw new Error('this process is gone');
    if (WRITES.has(commandName)) made.push(`${commandName} ${String(command[commandName])}`);
  });
  client.on('commandSucceeded', ({ commandName }) => {
    if (WRITES.has(commandName)) acknowledged += 1;
  });
  return { connection, writes: made, close: () => connection.close(true) };
}
