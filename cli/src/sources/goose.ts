import type { Counts } from '../../../engine/contract/signing/index.ts';
import { parseJson, textOf } from '../json.ts';
import { fourCounts, hasNoTokens, member, moment } from './fields.ts';
import { appDataFolder, dataFolder, logPlaces } from './home-places.ts';
import type { Source, UsageSink } from './source.ts';

const DATABASE = /[\\/]sessions[\\/]sessions\.db$/;
/** The columns of totals, by schema 14 as released and as its export names them. */
const TOTALS = ['tokens', 'input_tokens'].map((end) => [
  'accumulated_input_tokens',
  'accumulated_output_tokens',
  `accumulated_cache_read_${end}`,
  `accumulated_cache_write_${end}`,
]);
const REQUEST = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'];

/** From this on a time is in milliseconds, before in seconds. */
const MIN_MILLISECONDS = 1e11;

/** Goose: in a SQLite database the requests of each session (schema 15), and its totals with cache counts (schema 14). */
export const goose: Source = {
  platform: 'goose',
  title: 'Goose',
  counting: 'derived',
  mapping:
    'usage_ledger, or sessions where their accumulated_* have more: input_tokens minus cache_read_tokens and cache_write_tokens, ' +
    'output_tokens, cache_read_tokens, cache_write_tokens. Databases without cache counts are not counted.',
  version: 1,
  places: (env) => {
    const moved = { variables: [{ name: 'GOOSE_PATH_ROOT', logs: ['data/sessions'] }] };
    return env.os === 'win32'
      ? logPlaces({ ...moved, base: appDataFolder, path: ['Block', 'goose', 'data'], logs: ['sessions'] })(env)
      : logPlaces({ ...moved, base: dataFolder, path: ['goose'], logs: ['sessions'] })(env);
  },
  isLog: (path) => DATABASE.test(path),
  companions: (path) => [`${path}-wal`],
  read: async (path, sink) => {
    const { readTables } = await import('./read-tables.ts');
    const folders = new Map<unknown, string>();
    await readTables(path, [
      {
        table: 'sessions',
        columns: ['id', 'working_dir'],
        visit: ([id, folder]) => folders.set(id, textOf(folder) ?? ''),
      },
      {
        table: 'usage_ledger',
        columns: ['id', 'session_id', 'created_timestamp', 'model', ...REQUEST],
        visit: ([row, session, time, model, ...counts]) =>
          addCounts(
            sink,
            session,
            secondsOrMore(time),
            counts,
            textOf(model),
            `${Number(row)} ${Number(time)}`,
            folders,
          ),
      },
      ...TOTALS.map((columns) => ({
        table: 'sessions',
        columns: ['id', 'created_at', 'model_config_json', ...columns],
        visit: ([session, created, model, ...counts]: readonly unknown[]) =>
          addCounts(sink, session, utc(created), counts, modelOf(model), null, folders),
      })),
    ]);
  },
};

/** Adds a request, or the totals of a session: the requests add up, and the totals can only raise their sum. */
function addCounts(
  sink: UsageSink,
  id: unknown,
  at: number | null,
  [input, output, read, write]: readonly unknown[],
  model: string | null,
  request: string | null,
  folders: ReadonlyMap<unknown, string>,
): void {
  const session = textOf(id);
  const all = fourCounts(input, output, read, write);
  if (all === null) return sink.skip('invalid_counts');
  if (session === null) return sink.skip('no_identity');
  if (hasNoTokens(all)) return;
  const counts: Counts = { ...all, input: Math.max(0, all.input - all.cache_read - all.cache_write) };
  const project = textOf(folders.get(id));
  sink.add({ keys: [`session ${session}`], request, counts, at, origin: { model, project, session } });
}

function secondsOrMore(time: unknown): number | null {
  return typeof time === 'number' ? moment(time < MIN_MILLISECONDS ? time * 1000 : time) : null;
}

/** A time of SQLite, which is in UTC without saying so. */
function utc(text: unknown): number | null {
  return typeof text === 'string' ? moment(`${text.replace(' ', 'T')}Z`) : null;
}

function modelOf(config: unknown): string | null {
  return typeof config === 'string' ? textOf(member({ config: parseJson(config) }, 'config')?.['model_name']) : null;
}
