import { isObject, parseJson, textOf } from '../json.ts';
import { addUsage, fourCounts, member, moment, required } from './fields.ts';
import { appDataFolder, dataFolder, logPlaces } from './home-places.ts';
import type { Origin, Source, UsageSink } from './source.ts';

/** Devin, in the terminal and on the desktop: a SQLite database with the messages of each session, as a tree. */
export const devin: Source = {
  platform: 'devin',
  title: 'Devin',
  counting: 'exact',
  mapping: 'metadata.metrics in message_nodes: input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens.',
  version: 1,
  places: (env) =>
    logPlaces({ base: env.os === 'win32' ? appDataFolder : dataFolder, path: ['devin'], logs: ['cli'] })(env),
  isLog: (path) => /[\\/]cli[\\/]sessions\.db$/.test(path),
  companions: (path) => [`${path}-wal`],
  read: async (path, sink) => {
    const { readTables } = await import('./read-tables.ts');
    const folders = new Map<unknown, unknown>();
    await readTables(path, [
      { table: 'sessions', columns: ['id', 'working_directory'], visit: ([id, folder]) => folders.set(id, folder) },
      {
        table: 'message_nodes',
        columns: ['session_id', 'chat_message'],
        visit: ([id, text]) =>
          readMessage(String(text), { session: textOf(id), project: textOf(folders.get(id)) }, sink),
      },
    ]);
  },
};

/** Rows repeat a request: one for each part of a response, and those of sessions that were forked from its session. */
function readMessage(text: string, of: Omit<Origin, 'model'>, sink: UsageSink): void {
  const message = text.includes('"input_tokens"') ? parseJson(text) : {};
  if (!isObject(message)) return sink.skip('not_json');
  const { metrics, created_at, request_id, generation_model } = member(message, 'metadata') ?? {};
  if (!isObject(metrics)) return;
  const { input_tokens: input, output_tokens: output, cache_read_tokens: read, cache_creation_tokens: write } = metrics;
  const [request, id, at] = [textOf(request_id), textOf(message['message_id']), moment(created_at)];
  // Nothing says that the id of a message is unique without its time.
  const keys = [request && `request ${request}`, id && `message ${id} ${at}`];
  const origin = { ...of, model: textOf(generation_model) };
  addUsage(sink, fourCounts(required(input), required(output), read, write), keys, at, origin);
}
