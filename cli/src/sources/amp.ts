import { isObject, textOf } from '../json.ts';
import { addUsage, fourCounts, member, moment } from './fields.ts';
import { dataFolder, pathsOf } from './home-places.ts';
import { readJsonFile } from './read-json.ts';
import type { Source } from './source.ts';

/** Amp: one JSON document per thread. Since the end of March 2026 new threads are stored only on Amp's servers. */
export const amp: Source = {
  platform: 'amp',
  title: 'Amp',
  support: 'experimental',
  counting: 'exact',
  mapping:
    'messages[].usage: inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens. Ledger events, which ' +
    'have no cache counts, are skipped.',
  version: 1,
  places: (env) => [pathsOf(env).join(dataFolder(env, 'amp', 'AMP_DATA_DIR'), 'threads')],
  isLog: (path) => /[\\/]T-[^\\/]*\.json$/.test(path),
  read: (path, sink) => {
    const thread = readJsonFile(path, sink);
    if (!isObject(thread) || !Array.isArray(thread['messages'])) return;
    const id = textOf(thread['id']);
    for (const [index, message] of thread['messages'].entries()) {
      const usage = member(message, 'usage');
      if (!isObject(message) || message['role'] !== 'assistant' || usage === null) continue;
      const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, timestamp } = usage;
      const counts = fourCounts(inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens);
      const number = message['messageId'];
      const name = typeof number === 'number' || typeof number === 'string' ? `${number}` : `#${index}`;
      const at = moment(timestamp) ?? moment(message['timestamp']);
      addUsage(sink, counts, [id === null ? null : `message ${id} ${name}`], at);
    }
  },
};
