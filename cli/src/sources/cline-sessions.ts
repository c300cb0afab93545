import { basename } from 'node:path';
import { isObject, textOf } from '../json.ts';
import { addUsage, fourCounts, member, moment } from './fields.ts';
import { logPlaces } from './home-places.ts';
import { readJsonFile } from './read-json.ts';
import type { UsageSink } from './source.ts';

const SUFFIX = '.messages.json';

/** Where Cline 4, its command-line tool and its desktop application store sessions. */
export const sessionPlaces = logPlaces({
  variables: [
    { name: 'CLINE_SESSION_DATA_DIR', logs: ['.'] },
    { name: 'CLINE_DATA_DIR' },
    { name: 'CLINE_DIR', logs: ['data/sessions'] },
  ],
  path: ['.cline', 'data'],
  logs: ['sessions'],
});

/** Whether a file has the messages of a session, or of an agent that it started. */
export function isSession(path: string): boolean {
  return path.endsWith(SUFFIX);
}

/** Reads the messages of a session: one JSON document, in which the answers have the usage of their requests. */
export function readSession(path: string, sink: UsageSink): void {
  const document = readJsonFile(path, sink);
  const messages = isObject(document) ? document['messages'] : null;
  if (!Array.isArray(messages)) return;
  const session = basename(path, SUFFIX);
  for (const [position, message] of messages.entries()) {
    const metrics = member(message, 'metrics');
    if (!isObject(message) || metrics === null) continue;
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = metrics;
    const all = fourCounts(inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens);
    const counts = all && { ...all, input: Math.max(0, all.input - all.cache_read - all.cache_write) };
    const at = moment(message['ts']);
    const id = textOf(message['id']);
    // A fork, and a teammate that goes on, copy messages with their times. A time may be that of the message before.
    const copied = at === null ? null : `copy ${at} ${Object.values(counts ?? {}).join(' ')}`;
    const named = id === null ? null : `message ${id} ${at ?? session}`;
    const keys = id === null && at === null ? [`message ${session} ${position}`] : [named, copied];
    addUsage(sink, counts, keys, at ?? startOf(session), {
      model: textOf(member(message, 'modelInfo')?.['id']),
      project: null,
      session,
    });
  }
}

/** The start of a session, with which its id begins, in milliseconds since the epoch. */
function startOf(session: string): number | null {
  return moment(Number(/^\d{13}(?=_)/.exec(session)?.[0]));
}
