import { basename, dirname } from 'node:path';
import { isObject } from '../../json.ts';
import { readJsonLines } from '../../scan/read-json-lines.ts';
import { fourCounts, hasAnyTokens, member, moment, text } from '../fields.ts';
import { homePlaces } from '../home-places.ts';
import type { Source, UsageSink } from '../source.ts';

const SHUTDOWN = Buffer.from('"session.shutdown"');

/** GitHub Copilot CLI: the usage by model at the end of a session's event log. A session without a shutdown has none. */
export const copilotCli: Source = {
  platform: 'copilot-cli',
  title: 'GitHub Copilot CLI',
  support: 'experimental',
  counting: 'derived',
  mapping:
    'session.shutdown, modelMetrics.*.usage: inputTokens minus cacheReadTokens and cacheWriteTokens, outputTokens, ' +
    'cacheReadTokens, cacheWriteTokens.',
  version: 1,
  places: (env) => homePlaces(env, env.copilotHome, ['.copilot'], ['session-state', 'history-session-state']),
  isLog: (path) => basename(path) === 'events.jsonl',
  read: (path, sink) => {
    const session = basename(dirname(path));
    readJsonLines(path, sink, {
      mayMatter: (line) => line.includes(SHUTDOWN),
      visit: (entry) => visit(entry, session, sink),
    });
  },
};

function visit(entry: Readonly<Record<string, unknown>>, session: string, sink: UsageSink): void {
  const metrics = member(member(entry, 'data'), 'modelMetrics');
  if (entry['type'] !== 'session.shutdown' || metrics === null) return;
  const id = text(entry['id']) ?? text(entry['timestamp']);
  for (const [model, value] of Object.entries(metrics)) {
    const usage = member(value, 'usage');
    if (!isObject(usage)) continue;
    const counts = fourCounts(
      usage['inputTokens'],
      usage['outputTokens'],
      usage['cacheReadTokens'],
      usage['cacheWriteTokens'],
    );
    if (counts === null) sink.skip('invalid_counts');
    else if (id === null) sink.skip('no_identity');
    else if (hasAnyTokens(counts)) {
      const input = Math.max(0, counts.input - counts.cache_read - counts.cache_write);
      const keys = [`shutdown ${session} ${id} ${model}`];
      sink.add({ keys, request: null, counts: { ...counts, input }, at: moment(entry['timestamp']) });
    }
  }
}
