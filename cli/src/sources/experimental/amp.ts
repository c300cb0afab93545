import { isObject } from '../../json.ts';
import { readJsonFile } from '../../scan/read-json-file.ts';
import { fourCounts, hasAnyTokens, member, moment, text } from '../fields.ts';
import { dataHome, pathsOf } from '../home-places.ts';
import type { Source, UsageSink } from '../source.ts';

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
  places: (env) => {
    const path = pathsOf(env);
    const base = env.ampDataDir === undefined ? path.join(dataHome(env), 'amp') : path.resolve(env.ampDataDir);
    return [path.join(base, 'threads')];
  },
  isLog: (path) => /[\\/]T-[^\\/]*\.json$/.test(path),
  read: readThread,
};

function readThread(path: string, sink: UsageSink): void {
  const thread = readJsonFile(path, sink);
  if (!isObject(thread) || !Array.isArray(thread['messages'])) return;
  const id = text(thread['id']);
  for (const [index, message] of thread['messages'].entries()) {
    const usage = member(message, 'usage');
    if (!isObject(message) || message['role'] !== 'assistant' || usage === null) continue;
    const counts = fourCounts(
      usage['inputTokens'],
      usage['outputTokens'],
      usage['cacheReadInputTokens'],
      usage['cacheCreationInputTokens'],
    );
    if (counts === null) sink.skip('invalid_counts');
    else if (id === null) sink.skip('no_identity');
    else if (hasAnyTokens(counts)) {
      const number = message['messageId'];
      const name = typeof number === 'number' || typeof number === 'string' ? `${number}` : `#${index}`;
      const at = moment(usage['timestamp']) ?? moment(message['timestamp']);
      sink.add({ keys: [`message ${id} ${name}`], request: null, counts, at });
    }
  }
}
