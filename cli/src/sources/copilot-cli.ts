import { basename, dirname } from 'node:path';
import { type JsonObject, textOf } from '../json.ts';
import { addUsage, fourCounts, member, moment } from './fields.ts';
import { logPlaces } from './home-places.ts';
import { containing, readJsonLines } from './read-json.ts';
import type { Origin, Source, UsageSink } from './source.ts';

const select = containing('"session.start"', '"session.shutdown"');

/** GitHub Copilot CLI: the usage by model at the end of a session's event log. A session without a shutdown has none. */
export const copilotCli: Source = {
  platform: 'copilot-cli',
  title: 'GitHub Copilot CLI',
  counting: 'derived',
  mapping:
    'session.shutdown, modelMetrics.*.usage: inputTokens minus cacheReadTokens and cacheWriteTokens, outputTokens, ' +
    'cacheReadTokens, cacheWriteTokens.',
  version: 2,
  places: logPlaces({
    variables: [{ name: 'COPILOT_HOME' }],
    path: ['.copilot'],
    logs: ['session-state', 'history-session-state'],
  }),
  isLog: (path) => basename(path) === 'events.jsonl',
  read: (path, sink) => {
    const session = basename(dirname(path));
    let project: string | null = null;
    readJsonLines(path, sink, select, (entry) => {
      if (entry['type'] === 'session.start') project = projectOf(entry);
      else readShutdown(entry, { project, session }, sink);
    });
  },
};

function projectOf(start: JsonObject): string | null {
  const context = member(member(start, 'data'), 'context');
  return textOf(context?.['gitRoot']) ?? textOf(context?.['cwd']);
}

function readShutdown(entry: JsonObject, { project, session }: Omit<Origin, 'model'>, sink: UsageSink): void {
  const metrics = member(member(entry, 'data'), 'modelMetrics');
  if (entry['type'] !== 'session.shutdown' || metrics === null) return;
  const id = textOf(entry['id']) ?? textOf(entry['timestamp']);
  for (const [model, value] of Object.entries(metrics)) {
    const usage = member(value, 'usage');
    if (usage === null) continue;
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
    const all = fourCounts(inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens);
    const counts = all && { ...all, input: Math.max(0, all.input - all.cache_read - all.cache_write) };
    const key = id === null ? null : `shutdown ${session} ${id} ${model}`;
    addUsage(sink, counts, [key], moment(entry['timestamp']), { model, project, session });
  }
}
