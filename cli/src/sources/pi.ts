import { type JsonObject, textOf } from '../json.ts';
import { addUsage, fourCounts, hasNoTokens, member, moment } from './fields.ts';
import { logPlaces } from './home-places.ts';
import { containing, readJsonLines } from './read-json.ts';
import type { Source, UsageSink } from './source.ts';

const hasUsage = containing('"usage"');
const hasCacheRead = containing('"cacheRead"');
const isHeader = containing('"type":"session"');

/** pi: one JSON object per line. A fork copies its parent's messages, with their times and counts. */
export const pi: Source = {
  platform: 'pi',
  title: 'pi',
  counting: 'exact',
  mapping: 'message.usage of assistants: input, output, cacheRead, cacheWrite.',
  version: 1,
  places: logPlaces(
    // Of new sessions alone: earlier ones stay where they were.
    { variables: [{ name: 'PI_CODING_AGENT_SESSION_DIR' }], logs: ['.'] },
    {
      variables: [{ name: 'PI_CODING_AGENT_DIR' }, { name: 'PI_AGENT_DIR' }],
      path: ['.pi', 'agent'],
      logs: ['sessions'],
    },
    { path: ['.omp', 'agent'], logs: ['sessions'] },
  ),
  // In a `--source-dir`: OpenClaw's logs have the same messages, in folders of its agents.
  isLog: (path) => path.endsWith('.jsonl') && !/[\\/]agents[\\/]/.test(path),
  read: (path, sink) => {
    let session: JsonObject | null = null;
    const select = (line: string) => (hasUsage(line) && hasCacheRead(line)) || (session === null && isHeader(line));
    readJsonLines(path, sink, select, (entry) => {
      if (entry['type'] === 'session') session ??= entry;
      else readEntry(entry, session ?? {}, sink);
    });
  },
};

function readEntry(entry: JsonObject, session: JsonObject, sink: UsageSink): void {
  const message = member(entry, 'message');
  const usage = member(message, 'usage');
  const isMessage = entry['type'] === undefined || entry['type'] === 'message';
  if (!isMessage || message?.['role'] !== 'assistant' || usage === null) return;
  const counts = fourCounts(usage['input'], usage['output'], usage['cacheRead'], usage['cacheWrite']);
  if (hasNoTokens(counts)) return;
  const at = moment(entry['timestamp']) ?? moment(message['timestamp']);
  // Entry ids are short and change in copies; the time, the model and the counts do not.
  const model = textOf(message['model']);
  const copied = `${model ?? ''} ${Object.values(counts ?? {}).join(' ')}`;
  addUsage(sink, counts, [at === null ? null : `at ${at} ${copied}`], at, {
    model,
    project: textOf(session['cwd']),
    session: textOf(session['id']),
  });
}
