import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject, objectOf, textOf } from '../json.ts';
import { addUsage, fourCounts, member, moment } from './fields.ts';
import { dataFolder, logPlaces } from './home-places.ts';
import { readJsonFile } from './read-json.ts';
import type { Source, UsageSink } from './source.ts';

/** Amp: one JSON document per thread. Since the end of March 2026 new threads are stored only on Amp's servers. */
export const amp: Source = {
  platform: 'amp',
  title: 'Amp',
  counting: 'exact',
  mapping:
    'messages[].usage: inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens; else the tokens of the ' +
    'usageLedger event of the message: input, output, and cache counts where it has them.',
  version: 3,
  places: logPlaces({ variables: [{ name: 'AMP_DATA_DIR' }], base: dataFolder, path: ['amp'], logs: ['threads'] }),
  isLog: (path) => /[\\/]T-[^\\/]*\.json$/.test(path),
  read: (path, sink) => {
    const thread = readJsonFile(path, sink);
    if (!isObject(thread)) return;
    const id = textOf(thread['id']);
    const project = projectOf(thread);
    const messages = Array.isArray(thread['messages']) ? thread['messages'] : [];
    const counted = new Set<string | null>();
    for (const [index, message] of messages.entries()) {
      const usage = member(message, 'usage');
      if (!isObject(message) || message['role'] !== 'assistant' || usage === null) continue;
      const name = nameOf(message['messageId']);
      counted.add(name);
      const { model, inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, timestamp } = usage;
      const counts = fourCounts(inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens);
      const at = moment(timestamp) ?? moment(message['timestamp']);
      addUsage(sink, counts, [id === null ? null : `message ${id} ${name ?? `#${index}`}`], at, {
        model: textOf(model),
        project,
        session: id,
      });
    }
    readLedger(thread, id, counted, sink);
  },
};

/** Reads the events of messages whose usage is not in `counted`. One that names no message may be of any that is. */
function readLedger(thread: JsonObject, id: string | null, counted: ReadonlySet<string | null>, sink: UsageSink): void {
  const events = member(thread, 'usageLedger')?.['events'];
  for (const event of Array.isArray(events) ? events.filter(isObject) : []) {
    const tokens = member(event, 'tokens');
    const name = nameOf(event['toMessageId']);
    if (tokens === null || counted.has(name) || (name === null && counted.size > 0)) continue;
    const { input, output, cacheReadInputTokens, cacheCreationInputTokens } = tokens;
    const counts = fourCounts(input, output, cacheReadInputTokens, cacheCreationInputTokens);
    const own = name ?? textOf(event['id']);
    const key = id === null || own === null ? null : `${name === null ? 'event' : 'message'} ${id} ${own}`;
    const origin = { model: textOf(event['model']), project: projectOf(thread), session: id };
    addUsage(sink, counts, [key], moment(event['timestamp']), origin);
  }
}

/** The folder that a thread began in; its address where it is not on this machine. */
function projectOf(thread: JsonObject): string | null {
  const trees = member(member(thread, 'env'), 'initial')?.['trees'];
  const { uri, displayName } = objectOf(Array.isArray(trees) ? trees[0] : null);
  try {
    return fileURLToPath(String(uri));
  } catch {
    return textOf(uri) ?? textOf(displayName);
  }
}

/** A message's number as text, or null. */
function nameOf(value: unknown): string | null {
  return typeof value === 'number' ? `${value}` : textOf(value);
}
