import { CodexSession } from './codex-session.ts';
import { logPlaces } from './home-places.ts';
import { containing, readJsonLines } from './read-json.ts';
import type { Source } from './source.ts';

/** Names of the records that matter. In JSON these bytes occur only as names and values, never within text. */
const hasMark = containing('"token_count"', '"session_meta"', '"turn_context"', '"token_usage_record"', '"compacted"');

/** A record begins with its time and its type. The type alone rules out most records: responses and tools' outputs. */
const HEAD = /^\{"timestamp":"[^"\\]*","type":"([a-z_]+)"/;
const TYPES: ReadonlySet<string> = new Set([
  'event_msg',
  'session_meta',
  'turn_context',
  'token_usage_record',
  'compacted',
]);

/** Codex CLI: `rollout-*.jsonl` under its sessions, by day, and under its archived sessions. Since 0.137 it can compress them (`.zst`). */
export const codex: Source = {
  platform: 'codex',
  title: 'Codex CLI',
  counting: 'derived',
  mapping:
    'token_count events, each by what it adds: input_tokens minus cached_input_tokens and cache writes, output_tokens ' +
    '(reasoning is within), cached_input_tokens, cache_write_input_tokens where there is one.',
  version: 3,
  // OpenClaw gives each of its agents a Codex home.
  places: logPlaces(
    { variables: [{ name: 'CODEX_HOME' }], path: ['.codex'], logs: ['sessions', 'archived_sessions'] },
    { variables: [{ name: 'OPENCLAW_STATE_DIR' }], path: ['.openclaw'], logs: ['agents'] },
  ),
  isLog: (path) => /[\\/]rollout-[^\\/]*\.jsonl(\.zst)?$/.test(path),
  read: (path, sink) => {
    const session = new CodexSession(sink);
    readJsonLines(path, sink, select, (entry) => session.visit(entry));
    session.end();
  },
};

function select(line: string): boolean {
  const type = HEAD.exec(line)?.[1];
  return (type === undefined || TYPES.has(type)) && hasMark(line);
}
