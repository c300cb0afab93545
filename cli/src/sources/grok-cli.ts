import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isObject, type JsonObject, parseJson, textOf } from '../json.ts';
import { fourCounts, hasNoTokens, member, moment } from './fields.ts';
import { logPlaces } from './home-places.ts';
import { containing, readJsonLines } from './read-json.ts';
import type { Origin, Source, UsageSink } from './source.ts';

const select = containing('"turn_completed"');

/** Grok CLI (Grok Build): updates of a session, one JSON object per line. The end of a turn has the usage of its requests. */
export const grokCli: Source = {
  platform: 'grok-cli',
  title: 'Grok CLI',
  counting: 'derived',
  mapping:
    'usage.modelUsage of turn_completed, else its usage: inputTokens minus cachedReadTokens and cacheCreationTokens, outputTokens ' +
    '(reasoningTokens are within), cachedReadTokens, cacheCreationTokens. A turn includes the agents that it started.',
  version: 1,
  places: logPlaces({ variables: [{ name: 'GROK_HOME' }], path: ['.grok'], logs: ['sessions', 'archived_sessions'] }),
  isLog: (path) => basename(path) === 'updates.jsonl',
  companions: (path) => [summaryOf(path)],
  read: (path, sink) => {
    const folder = dirname(path);
    const origin = { project: decoded(basename(dirname(folder))), session: basename(folder) };
    const isCounted = !isAgent(path);
    readJsonLines(path, sink, select, (entry) => (isCounted ? readTurn(entry, origin, sink) : undefined));
  },
};

function summaryOf(path: string): string {
  return join(dirname(path), 'summary.json');
}

/** Whether the session is an agent's: its requests are in the turn of the session that started it. */
function isAgent(path: string): boolean {
  try {
    const summary = parseJson(readFileSync(summaryOf(path), 'utf8'));
    return isObject(summary) && textOf(summary['session_kind'])?.startsWith('subagent') === true;
  } catch {
    return false;
  }
}

/** The working folder that names the folder of its sessions. */
function decoded(folder: string): string {
  try {
    return decodeURIComponent(folder);
  } catch {
    return folder;
  }
}

function readTurn(entry: JsonObject, origin: Omit<Origin, 'model'>, sink: UsageSink): void {
  const params = member(entry, 'params');
  const update = member(params, 'update');
  const usage = member(update, 'usage');
  if (update?.['sessionUpdate'] !== 'turn_completed' || usage === null) return;
  // A fork copies the lines of its parent with another time and session, but not another `_meta`.
  const meta = member(params, '_meta');
  const seconds = entry['timestamp'];
  const at = moment(meta?.['agentTimestampMs']) ?? moment(typeof seconds === 'number' ? seconds * 1000 : seconds);
  const event = textOf(meta?.['eventId']);
  const prompt = textOf(update['prompt_id']);
  const keys = [
    ...(event === null ? [] : [`event ${event} ${at}`]),
    ...(prompt === null ? [] : [`turn ${origin.session} ${prompt}`]),
  ];
  if (keys.length === 0) return sink.skip('no_identity');
  const models = Object.entries(member(usage, 'modelUsage') ?? {});
  for (const [model, of] of models.length > 0 ? models : [[null, usage] as const]) {
    const { inputTokens, outputTokens, cachedReadTokens, cacheCreationTokens } = isObject(of) ? of : {};
    const all = fourCounts(inputTokens, outputTokens, cachedReadTokens, cacheCreationTokens);
    if (all === null) sink.skip('invalid_counts');
    else if (!hasNoTokens(all)) {
      const counts = { ...all, input: Math.max(0, all.input - all.cache_read - all.cache_write) };
      sink.add({ keys, request: model, counts, at, origin: { model, ...origin } });
    }
  }
}
