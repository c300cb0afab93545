import { readJsonLines } from '../../scan/read-json-lines.ts';
import type { Source, UsageSink } from '../source.ts';
import { isUserLine } from './is-user-line.ts';
import { claudeCodePlaces } from './places.ts';
import { readRecord } from './read-record.ts';

const USAGE = Buffer.from('"usage"');
const ASSISTANT = Buffer.from('"assistant"');

/** Claude Code: one JSON object per line in `*.jsonl` under its projects folder, with sub-agents' files in subfolders. */
export const claudeCode: Source = {
  platform: 'claude-code',
  title: 'Claude Code',
  support: 'stable',
  counting: 'exact',
  mapping: 'message.usage: input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens.',
  version: 1,
  places: claudeCodePlaces,
  // `rollout-*` files are Codex's, which may be in the same `--source-dir`.
  isLog: (path) => path.endsWith('.jsonl') && !/[\\/]rollout-[^\\/]*$/.test(path),
  read: readClaudeCode,
};

function readClaudeCode(path: string, sink: UsageSink): void {
  readJsonLines(path, sink, {
    // JSON escapes quotes within text, so these bytes occur only as names and values. The usage is near the end of a line.
    mayMatter: (line) => !isUserLine(line) && line.lastIndexOf(USAGE) !== -1 && line.includes(ASSISTANT),
    visit: (entry) => readRecord(entry, sink),
  });
}
