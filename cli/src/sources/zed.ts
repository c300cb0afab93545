import { isObject, parseJson, textOf } from '../json.ts';
import { addUsage, fourCounts, member, moment } from './fields.ts';
import { dataFolder, localAppDataFolder, logPlaces, settingsFolder } from './home-places.ts';
import { decompressed } from './read-lines.ts';
import type { Source, UsageSink } from './source.ts';

/** Zed's own agent: a SQLite database with a compressed JSON document for each thread, which has running totals. Databases from before are known, and empty. */
export const zed: Source = {
  platform: 'zed',
  title: 'Zed',
  counting: 'exact',
  mapping: 'cumulative_token_usage: input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens.',
  version: 1,
  places: (env) => {
    const base = env.os === 'darwin' ? settingsFolder : localAppDataFolder;
    const folder = /darwin|win32/.test(env.os) ? { base, path: ['Zed'] } : { base: dataFolder, path: ['zed'] };
    return logPlaces({ ...folder, logs: ['threads'] })(env);
  },
  isLog: (path) => /[\\/]threads[\\/]threads\.db$/.test(path),
  companions: (path) => [`${path}-wal`],
  read: async (path, sink) => {
    const { readTables } = await import('./read-tables.ts');
    await readTables(path, [
      {
        table: 'threads',
        columns: ['id', 'data_type', 'data', 'created_at', 'folder_paths'],
        pageRows: 20,
        visit: (row) => readThread(row, sink),
      },
      { table: 'threads', columns: ['id'], visit: () => undefined },
    ]);
  },
};

/** Adds a thread's totals, at its start: the times of its requests are not kept. Its agents are threads of their own. */
function readThread([id, type, data, created, folders]: readonly unknown[], sink: UsageSink): void {
  const bytes = data instanceof Uint8Array ? data : Buffer.from(String(data));
  const thread = parseJson(Buffer.from(type === 'zstd' ? decompressed(bytes) : bytes).toString());
  if (!isObject(thread)) return sink.skip('not_json');
  const { input_tokens: input, output_tokens: output, ...cache } = member(thread, 'cumulative_token_usage') ?? {};
  const counts = fourCounts(input, output, cache['cache_read_input_tokens'], cache['cache_creation_input_tokens']);
  const [session, model] = [textOf(id), textOf(member(thread, 'model')?.['model'])];
  const project = textOf(folders)?.split('\n')[0] ?? null;
  addUsage(sink, counts, [session && `thread ${session}`], moment(created), { model, project, session });
}
