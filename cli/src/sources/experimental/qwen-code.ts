import { readJsonLines } from '../../scan/read-json-lines.ts';
import { count, hasAnyTokens, member, moment, optionalCount, text } from '../fields.ts';
import { homePlaces } from '../home-places.ts';
import type { Source, UsageSink } from '../source.ts';

const USAGE = Buffer.from('"usageMetadata"');

/** Qwen Code: Gemini's usage metadata, one JSON object per line, in the chats of each project. */
export const qwenCode: Source = {
  platform: 'qwen-code',
  title: 'Qwen Code',
  support: 'experimental',
  counting: 'derived',
  mapping:
    'usageMetadata: promptTokenCount minus cachedContentTokenCount (as the Gemini API defines them), ' +
    'candidatesTokenCount plus thoughtsTokenCount, cachedContentTokenCount. There are no cache writes.',
  version: 1,
  places: (env) => homePlaces(env, env.qwenDataDir, ['.qwen'], ['projects', 'tmp']),
  isLog: (path) => /[\\/]chats[\\/][^\\/]+\.jsonl$/.test(path),
  read: (path, sink) => {
    readJsonLines(path, sink, {
      mayMatter: (line) => line.includes(USAGE),
      visit: (entry) => visit(entry, sink),
    });
  },
};

function visit(entry: Readonly<Record<string, unknown>>, sink: UsageSink): void {
  const usage = member(entry, 'usageMetadata');
  if (entry['type'] !== 'assistant' || usage === null) return;
  const prompt = count(usage['promptTokenCount'] ?? 0);
  const candidates = optionalCount(usage['candidatesTokenCount']);
  const thoughts = optionalCount(usage['thoughtsTokenCount']);
  const cached = optionalCount(usage['cachedContentTokenCount']);
  if (prompt === null || candidates === null || thoughts === null || cached === null)
    return sink.skip('invalid_counts');
  const counts = {
    input: Math.max(0, prompt - cached),
    output: candidates + thoughts,
    cache_read: cached,
    cache_write: 0,
  };
  if (!hasAnyTokens(counts)) return;
  const uuid = text(entry['uuid']);
  const session = text(entry['sessionId']);
  const at = moment(entry['timestamp']);
  if (uuid === null && (session === null || at === null)) return sink.skip('no_identity');
  const key = uuid === null ? `at ${session} ${at} ${prompt} ${candidates}` : `record ${uuid}`;
  sink.add({ keys: [key], request: null, counts, at });
}
