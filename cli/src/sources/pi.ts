import { type JsonObject, textOf } from '../json.ts';
import { addUsage, fourCounts, hasNoTokens, member, moment } from './fields.ts';
import { homePlaces } from './home-places.ts';
import { containing, readJsonLines } from './read-json.ts';
import type { Source, UsageSink } from './source.ts';

const hasUsage = containing('"usage"');
const hasCacheRead = containing('"cacheRead"');
const mayMatter = (line: Buffer): boolean => hasUsage(line) && hasCacheRead(line);

/** pi: one JSON object per line. A fork copies its parent's messages, with their times and counts. */
export const pi: Source = {
  platform: 'pi',
  title: 'pi',
  support: 'experimental',
  counting: 'exact',
  mapping: 'message.usage of assistants: input, output, cacheRead, cacheWrite.',
  version: 1,
  places: homePlaces(
    { variable: 'PI_AGENT_DIR', underHome: ['.pi', 'agent'], logs: ['sessions'] },
    { underHome: ['.omp', 'agent'], logs: ['sessions'] },
  ),
  isLog: (path) => path.endsWith('.jsonl'),
  read: (path, sink) => readJsonLines(path, sink, mayMatter, (entry) => readEntry(entry, sink)),
};

function readEntry(entry: JsonObject, sink: UsageSink): void {
  const message = member(entry, 'message');
  const usage = member(message, 'usage');
  const isMessage = entry['type'] === undefined || entry['type'] === 'message';
  if (!isMessage || message?.['role'] !== 'assistant' || usage === null) return;
  const counts = fourCounts(usage['input'], usage['output'], usage['cacheRead'], usage['cacheWrite']);
  if (hasNoTokens(counts)) return;
  const at = moment(entry['timestamp']) ?? moment(message['timestamp']);
  // Entry ids are short and change in copies; the time, the model and the counts do not.
  const copied = `${textOf(message['model']) ?? ''} ${Object.values(counts ?? {}).join(' ')}`;
  addUsage(sink, counts, [at === null ? null : `at ${at} ${copied}`], at);
}
