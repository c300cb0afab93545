import { readJsonLines } from '../../scan/read-json-lines.ts';
import { fourCounts, hasAnyTokens, member, moment, text } from '../fields.ts';
import { homePlaces } from '../home-places.ts';
import type { Source, UsageSink } from '../source.ts';

const MARKS = ['"usage"', '"cacheRead"'].map((mark) => Buffer.from(mark));

/** pi: one JSON object per line. A fork copies its parent's messages, with their times and counts. */
export const pi: Source = {
  platform: 'pi',
  title: 'pi',
  support: 'experimental',
  counting: 'exact',
  mapping: 'message.usage of assistants: input, output, cacheRead, cacheWrite.',
  version: 1,
  places: (env) => [
    ...homePlaces(env, env.piAgentDir, ['.pi', 'agent'], ['sessions']),
    ...homePlaces(env, undefined, ['.omp', 'agent'], ['sessions']),
  ],
  isLog: (path) => path.endsWith('.jsonl'),
  read: (path, sink) => {
    readJsonLines(path, sink, {
      mayMatter: (line) => MARKS.every((mark) => line.includes(mark)),
      visit: (entry) => visit(entry, sink),
    });
  },
};

function visit(entry: Readonly<Record<string, unknown>>, sink: UsageSink): void {
  const message = member(entry, 'message');
  const usage = member(message, 'usage');
  const isMessage = entry['type'] === undefined || entry['type'] === 'message';
  if (!isMessage || message?.['role'] !== 'assistant' || usage === null) return;
  const counts = fourCounts(usage['input'], usage['output'], usage['cacheRead'], usage['cacheWrite']);
  if (counts === null) return sink.skip('invalid_counts');
  if (!hasAnyTokens(counts)) return;
  const at = moment(entry['timestamp']) ?? moment(message['timestamp']);
  if (at === null) return sink.skip('no_identity');
  // Entry ids are short and change in copies; the time, the model and the counts do not.
  const { input, output, cache_read, cache_write } = counts;
  const model = text(message['model']) ?? '';
  const keys = [`at ${at} ${model} ${input} ${output} ${cache_read} ${cache_write}`];
  sink.add({ keys, request: null, counts, at });
}
