import { readJsonLines } from '../../scan/read-json-lines.ts';
import type { Source, UsageSink } from '../source.ts';
import { isUserLine } from './is-user-line.ts';
import { claudeCodePlaces } from './places.ts';
import { readRecord } from './read-record.ts';

const USAGE = Buffer.from('"usage"');
const ASSISTANT = Buffer.from('"assistant"');

/** Claude Code: one JSON object a line in `*.jsonl` under its projects folder, sub-agents' files in folders below. */
export const claudeCode: Source = {
  platform: 'claude-code',
  title: 'Claude Code',
  standing: 'verified',
  counting: 'exact',
  mapping: 'message.usage: input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens.',
  version: 1,
  places: claudeCodePlaces,
  // Codex names its files so, and they may lie in the same folder when one is named.
  isLog: (path) => path.endsWith('.jsonl') && !/[\\/]rollout-[^\\/]*$/.test(path),
  read: readClaudeCode,
};

function readClaudeCode(path: string, sink: UsageSink): void {
  readJsonLines(path, sink, {
    // In JSON, quotes within text are escaped: these bytes occur as names and values alone. The usage stands near the end.
    mayMatter: (line) => !isUserLine(line) && line.lastIndexOf(USAGE) !== -1 && line.includes(ASSISTANT),
    visit: (entry) => readRecord(entry, sink),
  });
}
