import { readJsonLines } from '../../scan/read-json-lines.ts';
import { homePlaces } from '../home-places.ts';
import type { Source, UsageSink } from '../source.ts';
import { CodexSession } from './codex-session.ts';

/** Names of the records that matter. In JSON these bytes occur only as names and values, never within text. */
const MARKS = ['"token_count"', '"session_meta"', '"token_usage_record"', '"compacted"'].map((mark) =>
  Buffer.from(mark),
);

/** A record begins with its time and its type. The type alone rules out most records: responses and tools' outputs. */
const HEAD = /^\{"timestamp":"[^"\\]*","type":"([a-z_]+)"/;
const HEAD_BYTES = 96;
const TYPES: ReadonlySet<string> = new Set(['event_msg', 'session_meta', 'token_usage_record', 'compacted']);

/** Codex CLI: `rollout-*.jsonl` under its sessions, by day, and under its archived sessions. */
export const codex: Source = {
  platform: 'codex',
  title: 'Codex CLI',
  support: 'stable',
  counting: 'derived',
  mapping:
    'token_count events, each by what it adds: input_tokens minus cached_input_tokens and cache writes, output_tokens ' +
    '(reasoning is within), cached_input_tokens, cache_write_input_tokens where there is one.',
  version: 1,
  places: (env) => homePlaces(env, env.codexHome, ['.codex'], ['sessions', 'archived_sessions']),
  isLog: (path) => /[\\/]rollout-[^\\/]*\.jsonl$/.test(path),
  read: readCodex,
};

function readCodex(path: string, sink: UsageSink): void {
  const session = new CodexSession(sink);
  readJsonLines(path, sink, {
    mayMatter,
    visit: (entry) => session.visit(entry),
  });
  session.end();
}

function mayMatter(line: Buffer): boolean {
  const type = HEAD.exec(line.toString('latin1', 0, HEAD_BYTES))?.[1];
  if (type !== undefined && !TYPES.has(type)) return false;
  return MARKS.some((mark) => line.includes(mark));
}
