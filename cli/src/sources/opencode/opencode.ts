import { isObject } from '../../json.ts';
import { readJsonFile } from '../../scan/read-json-file.ts';
import { dataHome, pathsOf } from '../home-places.ts';
import type { Source, UsageSink } from '../source.ts';
import { readMessage } from './read-message.ts';

/** Databases of the stable version, of its channels, and backups: message ids identify repeats across them. */
const DATABASE = /[\\/]opencode[^\\/]*\.db$/;
const MESSAGE = /[\\/]storage[\\/]message[\\/].*[\\/]?msg_[^\\/]*\.json$/;

/** OpenCode: messages in a SQLite database (1.2 and later), or one JSON document each (before). */
export const opencode: Source = {
  platform: 'opencode',
  title: 'OpenCode',
  support: 'stable',
  counting: 'derived',
  mapping: 'tokens: input (without anything cached), output plus reasoning, cache.read, cache.write.',
  version: 1,
  places: (env) => {
    const path = pathsOf(env);
    const { opencodeDataDir, opencodeDb } = env;
    const data = opencodeDataDir === undefined ? path.join(dataHome(env), 'opencode') : path.resolve(opencodeDataDir);
    return opencodeDb === undefined ? [data] : [path.resolve(data, opencodeDb), data];
  },
  isLog: (path) => DATABASE.test(path) || MESSAGE.test(path),
  companions: (path) => (path.endsWith('.db') ? [`${path}-wal`] : []),
  read: async (path, sink) => {
    if (path.endsWith('.db')) await readDatabase(path, sink);
    else readMessageFile(path, sink);
  },
};

function readMessageFile(path: string, sink: UsageSink): void {
  const message = readJsonFile(path, sink);
  if (isObject(message) && message['role'] === 'assistant') readMessage(message, null, sink);
}

async function readDatabase(path: string, sink: UsageSink): Promise<void> {
  const { readTables } = await import('../../sqlite/read-tables.ts');
  await readTables(path, [
    { table: 'message', columns: ['id', 'data'], visit: (row) => visitRow(row, 'assistant', sink) },
    { table: 'session_message', columns: ['id', 'data', 'type'], visit: (row) => visitRow(row, row[2], sink) },
  ]);
}

/** A row's message. In the first schema the message has a role; in the second the row's type is the role. */
function visitRow([id, data]: readonly unknown[], type: unknown, sink: UsageSink): void {
  if (type !== 'assistant' || typeof data !== 'string') return;
  let message: unknown;
  try {
    message = JSON.parse(data);
  } catch {
    return sink.skip('not_json');
  }
  if (!isObject(message)) return sink.skip('not_json');
  if (message['role'] !== undefined && message['role'] !== 'assistant') return;
  readMessage(message, typeof id === 'string' ? id : null, sink);
}
