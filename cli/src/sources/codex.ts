import type { JsonObject } from '../json.ts';
import { CodexSession } from './codex-session.ts';
import { homePlaces } from './home-places.ts';
import { containing, REST_OF_OBJECT, readJsonLines } from './read-json.ts';
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

/** A usage event as Codex writes it, which is most of what is read. */
const COUNTS = ['input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_output_tokens'] as const;
const USAGE = `${COUNTS.map((name) => String.raw`"${name}":(\d+)`).join(',')},"total_tokens":\\d+`;
const TOKEN_COUNT = new RegExp(
  String.raw`^\{"timestamp":"([\w:.+-]+)","type":"event_msg","payload":\{"type":"token_count","info":\{` +
    String.raw`"total_token_usage":\{${USAGE}\},"last_token_usage":\{${USAGE}\}${REST_OF_OBJECT}\}${REST_OF_OBJECT}\}\}$`,
);

/** Longer lines are parsed as JSON: the pattern is for short ones. */
const MAX_EVENT_LENGTH = 4096;

/** Codex CLI: `rollout-*.jsonl` under its sessions, by day, and under its archived sessions. */
export const codex: Source = {
  platform: 'codex',
  title: 'Codex CLI',
  support: 'stable',
  counting: 'derived',
  mapping:
    'token_count events, each by what it adds: input_tokens minus cached_input_tokens and cache writes, output_tokens ' +
    '(reasoning is within), cached_input_tokens, cache_write_input_tokens where there is one.',
  version: 3,
  // OpenClaw gives each of its agents a Codex home.
  places: homePlaces(
    { variable: 'CODEX_HOME', underHome: ['.codex'], logs: ['sessions', 'archived_sessions'] },
    { variable: 'OPENCLAW_STATE_DIR', underHome: ['.openclaw'], logs: ['agents'] },
  ),
  isLog: (path) => /[\\/]rollout-[^\\/]*\.jsonl$/.test(path),
  read: (path, sink) => {
    const session = new CodexSession(sink);
    readJsonLines(path, sink, select, (entry) => session.visit(entry));
    session.end();
  },
};

function select(line: string): string | JsonObject | false {
  const type = HEAD.exec(line)?.[1];
  if (type !== undefined && !TYPES.has(type)) return false;
  return (type === 'event_msg' && readTokenCount(line)) || (hasMark(line) && line);
}

/** Reads what matters of a usage event, in a fraction of the time of `JSON.parse`; null for another line or layout. */
function readTokenCount(line: string): JsonObject | null {
  const found = line.length <= MAX_EVENT_LENGTH ? TOKEN_COUNT.exec(line) : null;
  if (found === null) return null;
  const info = { total_token_usage: usageFrom(found, 2), last_token_usage: usageFrom(found, 2 + COUNTS.length) };
  return { timestamp: found[1], type: 'event_msg', payload: { type: 'token_count', info } };
}

function usageFrom(found: RegExpExecArray, at: number): Record<(typeof COUNTS)[number], number> {
  return {
    input_tokens: Number(found[at]),
    cached_input_tokens: Number(found[at + 1]),
    output_tokens: Number(found[at + 2]),
    reasoning_output_tokens: Number(found[at + 3]),
  };
}
