import { basename } from 'node:path';
import { textOf } from '../json.ts';
import { fourCounts, hasNoTokens, moment } from './fields.ts';
import { localAppDataFolder, logPlaces } from './home-places.ts';
import type { Source, UsageSink } from './source.ts';

const DATABASE = 'state.db';
const COUNTS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'] as const;
/** What distinguishes the rows of a session. */
const ROUTE = ['model', 'billing_provider', 'billing_base_url', 'billing_mode', 'task'] as const;

/**
 * Hermes Agent: running totals of each session, and since some version of its models and tasks, in a SQLite database for each
 * profile. The totals are dated to the session's start.
 */
export const hermes: Source = {
  platform: 'hermes',
  title: 'Hermes Agent',
  counting: 'exact',
  mapping:
    'session_model_usage, or sessions where they have more: input_tokens, output_tokens (reasoning_tokens are within), ' +
    'cache_read_tokens, cache_write_tokens.',
  version: 1,
  places: (env) => {
    const home = env.os === 'win32' ? { base: localAppDataFolder, path: ['hermes'] } : { path: ['.hermes'] };
    return logPlaces({ variables: [{ name: 'HERMES_HOME' }], ...home, logs: [DATABASE, 'profiles'] })(env);
  },
  isLog: (path) => basename(path) === DATABASE,
  companions: (path) => [`${path}-wal`],
  read: async (path, sink) => {
    const { readTables } = await import('./read-tables.ts');
    await readTables(path, [
      {
        table: 'session_model_usage',
        columns: ['session_id', 'first_seen', ...COUNTS, ...ROUTE],
        visit: ([session, time, input, output, read, write, ...route]) =>
          addTotals(sink, session, time, fourCounts(input, output, read, write), textOf(route[0]), route.join(' ')),
      },
      {
        table: 'sessions',
        columns: ['id', 'started_at', ...COUNTS, 'model'],
        visit: ([session, time, input, output, read, write, model]) =>
          addTotals(sink, session, time, fourCounts(input, output, read, write), textOf(model), null),
      },
    ]);
  },
};

/** Adds the totals of a session, or of one of its routes: the routes add up, and the session's totals can only raise their sum. */
function addTotals(
  sink: UsageSink,
  id: unknown,
  seconds: unknown,
  counts: ReturnType<typeof fourCounts>,
  model: string | null,
  route: string | null,
): void {
  const session = textOf(id);
  if (counts === null) return sink.skip('invalid_counts');
  if (session === null) return sink.skip('no_identity');
  if (hasNoTokens(counts)) return;
  const at = typeof seconds === 'number' ? moment(Math.trunc(seconds * 1000)) : null;
  sink.add({ keys: [`session ${session}`], request: route, counts, at, origin: { model, project: null, session } });
}
