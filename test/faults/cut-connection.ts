import { type Connection, createConnection } from 'mongoose';

/** Commands that change something. */
const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify']);

/** A connection of a process that dies right after one of its writes. */
interface CutConnection {
  readonly connection: Connection;
  /** The writes that were made, by command and collection. */
  readonly writes: readonly string[];
  close(): Promise<void>;
}

/**
 * Connects like any process, and fails every command, unsent, once `writes` of its writes have been answered: whatever the
 * process still does no longer reaches the store, as when it is gone.
 */
export async function openCutConnection(url: string, writes: number): Promise<CutConnection> {
  const connection = await createConnection(url, { autoIndex: false, monitorCommands: true }).asPromise();
  const made: string[] = [];
  let answered = 0;
  const client = connection.getClient();
  client.on('commandStarted', ({ commandName, command }) => {
    // What a listener throws becomes the command's own failure, before anything is sent.
    if (answered >= writes && commandName !== 'endSessions') throw new Error('this process is gone');
    if (WRITES.has(commandName)) made.push(`${commandName} ${String(command[commandName])}`);
  });
  client.on('commandSucceeded', ({ commandName }) => {
    if (WRITES.has(commandName)) answered += 1;
  });
  return { connection, writes: made, close: () => connection.close(true) };
}
