import { readJsonLines } from '../../scan/read-json-lines.ts';
import type { Source, UsageSink } from '../source.ts';
import { claudeCodePlaces } from './places.ts';
import { readRecord } from './read-record.ts';

const USAGE = Buffer.from('"usage"');
const ASSISTANT = Buffer.from('"assistant"');
const MESSAGE = '"message":';
const USER_MESSAGE = `${MESSAGE}{"role":"user"`;

/** The message begins within so many bytes; otherwise the caller searches the whole line. */
const HEAD_BYTES = 512;

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

/**
 * Whether a line is a message of a user or a tool, by its beginning. Such lines contain no usage and are most of a log:
 * recognizing them early avoids searching them.
 */
function isUserLine(line: Buffer): boolean {
  if (line.length <= HEAD_BYTES) return false;
  const head = line.toString('latin1', 0, HEAD_BYTES);
  // The first nested object of the line: text or another object cannot be mistaken for it.
  const message = head.indexOf('{', 1) - MESSAGE.length;
  return message > 0 && head.startsWith(USER_MESSAGE, message);
}
