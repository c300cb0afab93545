import { type JsonObject, textOf } from '../json.ts';
import { addUsage, hasNoTokens, member, moment, readCounts } from './fields.ts';
import { logPlaces, openProjects } from './home-places.ts';
import { containing, readJsonLines } from './read-json.ts';
import type { Source, UsageSink } from './source.ts';

const select = containing('"usageMetadata"');

/** Qwen Code: Gemini's usage metadata, one JSON object per line, in the chats of each project. */
export const qwenCode: Source = {
  platform: 'qwen-code',
  title: 'Qwen Code',
  counting: 'derived',
  mapping:
    'usageMetadata: promptTokenCount minus cachedContentTokenCount (as the Gemini API defines them), ' +
    'candidatesTokenCount plus thoughtsTokenCount (unless totalTokenCount shows that they are among the candidates), ' +
    'cachedContentTokenCount. There are no cache writes.',
  version: 2,
  places: logPlaces({
    variables: [{ name: 'QWEN_RUNTIME_DIR' }, { name: 'QWEN_HOME' }, { name: 'QWEN_DATA_DIR' }],
    path: ['.qwen'],
    logs: ['projects', 'tmp'],
  }),
  isLog: (path) => /[\\/]chats[\\/][^\\/]+\.jsonl$/.test(path),
  read: (path, sink) => {
    const projectOf = openProjects(path);
    readJsonLines(path, sink, select, (entry) => readEntry(entry, projectOf, sink));
  },
};

function readEntry(entry: JsonObject, projectOf: (cwd: string | null) => string | null, sink: UsageSink): void {
  const usage = member(entry, 'usageMetadata');
  if (entry['type'] !== 'assistant' || usage === null) return;
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, cachedContentTokenCount, totalTokenCount } =
    usage;
  const read = readCounts(promptTokenCount, candidatesTokenCount, thoughtsTokenCount, cachedContentTokenCount);
  if (read === null) return sink.skip('invalid_counts');
  const [prompt, candidates, thoughts, cached] = read;
  const input = Math.max(0, prompt - cached);
  // Of endpoints with OpenAI's API, completion tokens include the reasoning:
  // https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/core/openaiContentGenerator/converter.ts
  const output = totalTokenCount === prompt + candidates ? candidates : candidates + thoughts;
  const counts = { input, output, cache_read: cached, cache_write: 0 };
  if (hasNoTokens(counts)) return;
  const uuid = textOf(entry['uuid']);
  const session = textOf(entry['sessionId']);
  const at = moment(entry['timestamp']);
  const origin = { model: textOf(entry['model']), project: projectOf(textOf(entry['cwd'])), session };
  const time = session === null || at === null ? null : `at ${session} ${at} ${prompt} ${candidates}`;
  addUsage(sink, counts, [uuid === null ? time : `record ${uuid}`], at, origin);
}
