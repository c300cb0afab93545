import { basename, dirname } from 'node:path';
import { readJsonLines } from '../../scan/read-json-lines.ts';
import { fourCounts, hasAnyTokens, member, moment, text } from '../fields.ts';
import { homePlaces } from '../home-places.ts';
import type { Source, UsageSink } from '../source.ts';

const MARKS = ['"token_usage"', '"usage.record"'].map((mark) => Buffer.from(mark));

/** Kimi CLI and Kimi Code: a log of protocol messages, one JSON object per line. */
export const kimi: Source = {
  platform: 'kimi',
  title: 'Kimi',
  support: 'experimental',
  counting: 'exact',
  mapping:
    'token_usage of a StatusUpdate, or usage of a usage.record of scope turn: input_other, output, input_cache_read, ' +
    'input_cache_creation. Records of scope session are running totals and skipped.',
  version: 1,
  places: (env) => [
    ...homePlaces(env, undefined, ['.kimi'], ['sessions']),
    ...homePlaces(env, env.kimiCodeHome, ['.kimi-code'], ['sessions']),
  ],
  isLog: (path) => basename(path) === 'wire.jsonl',
  read: (path, sink) => {
    const scope = sessionOf(path);
    readJsonLines(path, sink, {
      mayMatter: (line) => MARKS.some((mark) => line.includes(mark)),
      visit: (entry) => visit(entry, scope, sink),
    });
  },
};

/** The session, and the agent within it, by the log's folders. */
function sessionOf(path: string): string {
  const folder = dirname(path);
  const agents = dirname(folder);
  return basename(agents) === 'agents' ? `${basename(dirname(agents))}/${basename(folder)}` : basename(folder);
}

function visit(entry: Readonly<Record<string, unknown>>, session: string, sink: UsageSink): void {
  if (entry['type'] === 'usage.record') {
    const usage = member(entry, 'usage');
    if (usage === null || entry['usageScope'] !== 'turn') return;
    const at = moment(entry['time']);
    const counts = fourCounts(
      usage['inputOther'],
      usage['output'],
      usage['inputCacheRead'],
      usage['inputCacheCreation'],
    );
    return take(counts, at, at === null ? null : `turn ${session} ${at}`, sink);
  }
  const message = member(entry, 'message');
  const payload = member(message, 'payload');
  const usage = member(payload, 'token_usage');
  if (message?.['type'] !== 'StatusUpdate' || usage === null) return;
  const seconds = entry['timestamp'];
  const at = typeof seconds === 'number' ? moment(Math.trunc(seconds * 1000)) : null;
  const id = text(payload?.['message_id']);
  const counts = fourCounts(
    usage['input_other'],
    usage['output'],
    usage['input_cache_read'],
    usage['input_cache_creation'],
  );
  const time = at === null ? null : `update ${session} ${at}`;
  take(counts, at, id === null ? time : `message ${session} ${id}`, sink);
}

function take(counts: ReturnType<typeof fourCounts>, at: number | null, key: string | null, sink: UsageSink): void {
  if (counts === null) sink.skip('invalid_counts');
  else if (key === null) sink.skip('no_identity');
  else if (hasAnyTokens(counts)) sink.add({ keys: [key], request: null, counts, at });
}
