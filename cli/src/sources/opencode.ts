import type { Counts } from '../../../engine/contract/signing/index.ts';
import { isObject, type JsonObject, parseJson, textOf } from '../json.ts';
import { addUsage, hasNoTokens, member, moment, readCounts, required } from './fields.ts';
import { dataFolder, logPlaces, pathsOf } from './home-places.ts';
import { readJsonFile } from './read-json.ts';
import type { Source, UsageSink } from './source.ts';

/** Types of rows, or roles of messages, that are requests; those of users are none. */
const REQUEST_TYPES: ReadonlySet<unknown> = new Set(['assistant', 'compaction']);
const USER = 'user';

const MESSAGE = /[\\/]storage[\\/]message[\\/].*[\\/]?msg_[^\\/]*\.json$/;

/** Databases of the stable version, of its channels, and backups: message ids identify repeats across them. */
const OPENCODE_DATABASE = /[\\/]opencode[^\\/]*\.db$/;
const KILO_DATABASE = /[\\/]kilo[^\\/]*\.db$/;

const reading = {
  counting: 'derived',
  mapping: 'tokens: input (without anything cached), output plus reasoning, cache.read, cache.write.',
  version: 2,
  // OPENCODE_DB may give a database any name.
  companions: (path: string) => (MESSAGE.test(path) ? [] : [`${path}-wal`]),
  read: async (path: string, sink: UsageSink) => {
    if (!MESSAGE.test(path)) return readDatabase(path, sink);
    const message = readJsonFile(path, sink);
    if (isObject(message)) readMessage(message, message['role'], null, null, sink);
  },
} as const;

const dataPlaces = logPlaces({
  variables: [{ name: 'OPENCODE_DATA_DIR' }],
  base: dataFolder,
  path: ['opencode'],
  logs: ['.'],
});

/** OpenCode: messages in a SQLite database (1.2 and later), or one JSON document each (before). */
export const opencode: Source = {
  ...reading,
  platform: 'opencode',
  title: 'OpenCode',
  places: (env) => {
    const folders = dataPlaces(env);
    const database = env.variable('OPENCODE_DB');
    return database === undefined ? folders : [pathsOf(env).resolve(folders[0]!, database), ...folders];
  },
  isLog: (path) => OPENCODE_DATABASE.test(path) || MESSAGE.test(path),
};

/** Kilo CLI, a fork of OpenCode, which the editor extension of the same name runs since its version 7. */
export const kiloCli: Source = {
  ...reading,
  platform: 'kilo-cli',
  title: 'Kilo CLI',
  places: logPlaces({ base: dataFolder, path: ['kilo'], logs: ['.'] }),
  isLog: (path) => KILO_DATABASE.test(path),
};

async function readDatabase(path: string, sink: UsageSink): Promise<void> {
  const { readTables } = await import('./read-tables.ts');
  await readTables(path, [
    {
      table: 'message',
      columns: ['id', 'data'],
      optional: 'session_id',
      visit: ([id, data, session]) => visitRow(id, data, null, session, sink),
    },
    {
      table: 'session_message',
      columns: ['id', 'data', 'type'],
      optional: 'session_id',
      visit: ([id, data, type, session]) => visitRow(id, data, type, session, sink),
    },
  ]);
}

/** A row's message. In the first schema the message has a role; in the second the row has a type. */
function visitRow(id: unknown, data: unknown, type: unknown, session: unknown, sink: UsageSink): void {
  const mayCount = type === null || REQUEST_TYPES.has(type) || (type !== USER && String(data).includes('"tokens"'));
  if (!mayCount || typeof data !== 'string') return;
  const message = parseJson(data);
  if (!isObject(message)) return sink.skip('not_json');
  readMessage(message, type ?? message['role'], textOf(id), textOf(session), sink);
}

/** Counts any message but a user's, by its id and by times, model and counts: a fork copies these under new ids. */
function readMessage(
  message: JsonObject,
  type: unknown,
  rowId: string | null,
  session: string | null,
  sink: UsageSink,
): void {
  const tokens = member(message, 'tokens');
  const counts = tokens && countsOf(tokens);
  if (type === USER || tokens === null || hasNoTokens(counts)) return;
  if (!REQUEST_TYPES.has(type)) sink.skip('unknown_type');
  const time = member(message, 'time');
  const at = moment(time?.['created']);
  const completed = moment(time?.['completed']);
  const id = textOf(message['id']) ?? rowId;
  const model = textOf(message['modelID']) ?? textOf(member(message, 'model')?.['id']);
  const copied = `${at} ${completed} ${model ?? ''} ${Object.values(counts ?? {}).join(' ')}`;
  // Without both times the second key would not be unique.
  const keys = [id === null ? null : `message ${id}`, at === null || completed === null ? null : `copy ${copied}`];
  const folders = member(message, 'path');
  const project = textOf(folders?.['root']) ?? textOf(folders?.['cwd']);
  addUsage(sink, counts, keys, at, { model, project, session: textOf(message['sessionID']) ?? session });
}

function countsOf(tokens: JsonObject): Counts | null {
  const cache = member(tokens, 'cache');
  const read = readCounts(
    required(tokens['input']),
    required(tokens['output']),
    tokens['reasoning'],
    cache?.['read'],
    cache?.['write'],
  );
  if (read === null) return null;
  const [input, output, reasoning, cache_read, cache_write] = read;
  return { input, output: output + reasoning, cache_read, cache_write };
}
