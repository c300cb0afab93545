import { basename, dirname } from 'node:path';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import { type JsonObject, textOf } from '../json.ts';
import { addUsage, fourCounts, member, moment } from './fields.ts';
import { logPlaces } from './home-places.ts';
import { containing, readJsonLines } from './read-json.ts';
import type { Source, UsageSink } from './source.ts';

const select = containing('"token_usage"', '"usage.record"');

/** Kimi CLI and Kimi Code: a log of protocol messages, one JSON object per line. */
export const kimi: Source = {
  platform: 'kimi',
  title: 'Kimi',
  counting: 'exact',
  mapping:
    'token_usage of a StatusUpdate, or usage of a usage.record of scope turn: input_other, output, input_cache_read, ' +
    'input_cache_creation. Records of scope session are running totals and skipped.',
  version: 2,
  places: logPlaces(
    { variables: [{ name: 'KIMI_SHARE_DIR' }], path: ['.kimi'], logs: ['sessions'] },
    { variables: [{ name: 'KIMI_CODE_HOME' }], path: ['.kimi-code'], logs: ['sessions'] },
  ),
  isLog: (path) => basename(path) === 'wire.jsonl',
  read: (path, sink) => readJsonLines(path, sink, select, (entry) => readEntry(entry, sessionOf(path), sink)),
};

/** The session, and the agent within it, by the log's folders. */
function sessionOf(path: string): string {
  const folder = dirname(path);
  const agents = dirname(folder);
  return basename(agents) === 'agents' ? `${basename(dirname(agents))}/${basename(folder)}` : basename(folder);
}

function readEntry(entry: JsonObject, session: string, sink: UsageSink): void {
  if (entry['type'] === 'usage.record') {
    const usage = member(entry, 'usage');
    if (usage === null || entry['usageScope'] !== 'turn') return;
    const at = moment(entry['time']);
    const { inputOther, output, inputCacheRead, inputCacheCreation } = usage;
    const counts = fourCounts(inputOther, output, inputCacheRead, inputCacheCreation);
    return addUsage(sink, counts, [at === null ? null : `turn ${session} ${at}`, copyKey('', counts, at)], at, {
      model: textOf(entry['model']),
      project: null,
      session,
    });
  }
  const message = member(entry, 'message');
  const payload = member(message, 'payload');
  const usage = member(payload, 'token_usage');
  if (message?.['type'] !== 'StatusUpdate' || usage === null) return;
  const seconds = entry['timestamp'];
  const at = typeof seconds === 'number' ? moment(Math.trunc(seconds * 1000)) : null;
  const id = textOf(payload?.['message_id']);
  const { input_other, output, input_cache_read, input_cache_creation } = usage;
  const counts = fourCounts(input_other, output, input_cache_read, input_cache_creation);
  const time = at === null ? null : `update ${session} ${at}`;
  const keys = [id === null ? time : `message ${session} ${id}`, copyKey(id ?? '', counts, at)];
  addUsage(sink, counts, keys, at, { model: null, project: null, session });
}

/** A fork copies records into its own session, with their times and counts. */
function copyKey(id: string, counts: Counts | null, at: number | null): string | null {
  return at === null || counts === null ? null : `copy ${id} ${at} ${Object.values(counts).join(' ')}`;
}
