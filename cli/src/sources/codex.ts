import type { JsonObject } from '../json.ts';
import { CodexSession } from './codex-session.ts';
import { logPlaces } from './home-places.ts';
import { containing, MAX_PATTERN_CHARACTERS, MEMBER_PATTERNS, readJsonLines } from './read-json.ts';
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

const { count, deep } = MEMBER_PATTERNS;
const USAGE =
  `\\{"input_tokens":${count},"cached_input_tokens":${count},(?:"cache_write_input_tokens":${count},)?` +
  String.raw`"output_tokens":${count},"reasoning_output_tokens":${count},"total_tokens":\d+\}`;
/** The counts of a usage by the names of its members, in the order in which the pattern finds them. */
const COUNTS = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
] as const;

/** A usage event as Codex writes it: most of what is read of a log. Of names that repeat, it reads the first, and JSON the last. */
const TOKEN_COUNT = new RegExp(
  String.raw`^\{"timestamp":"([\w:.+-]+)","type":"event_msg","payload":\{"type":"token_count","info":\{` +
    String.raw`"total_token_usage":${USAGE},"last_token_usage":${USAGE}${deep}\}${deep}\}\}$`,
);

/** Codex CLI: `rollout-*.jsonl` under its sessions, by day, and under its archived sessions. Since 0.137 it can compress them (`.zst`). */
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

function select(line: string): string | JsonObject | false {
  const type = HEAD.exec(line)?.[1];
  if (type !== undefined && !TYPES.has(type)) return false;
  return (type === 'event_msg' && readTokenCount(line)) || (hasMark(line) && line);
}

/** Reads what matters of a usage event, in a third of the time of `JSON.parse`; null for another line or layout. */
function readTokenCount(line: string): JsonObject | null {
  const found = line.length <= MAX_PATTERN_CHARACTERS ? TOKEN_COUNT.exec(line) : null;
  if (found === null) return null;
  const [, timestamp, ...counts] = found;
  const info = { total_token_usage: usageOf(counts, 0), last_token_usage: usageOf(counts, COUNTS.length) };
  return { timestamp, type: 'event_msg', payload: { type: 'token_count', info } };
}

/** The usage whose counts begin at `from`. Written out: a loop over the names would take as long as `JSON.parse`. */
function usageOf(counts: readonly (string | undefined)[], from: number): Record<(typeof COUNTS)[number], number> {
  return {
    input_tokens: Number(counts[from]),
    cached_input_tokens: Number(counts[from + 1]),
    cache_write_input_tokens: Number(counts[from + 2] ?? 0),
    output_tokens: Number(counts[from + 3]),
    reasoning_output_tokens: Number(counts[from + 4]),
  };
}
