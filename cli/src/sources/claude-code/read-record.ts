import type { Counts } from '../../../../engine/contract/signing/index.ts';
import { isObject } from '../../json.ts';
import type { SkipReason } from '../source.ts';

/** The usage of one line: one writing of one answer of a model. */
export interface UsageRecord {
  /** What makes the message one: its `message.id`, or where that is missing what else identifies the line. */
  readonly identity: string;
  /** The request it belongs to; null when unknown, or when the line is a sidechain's copy that is matched by identity alone. */
  readonly request: string | null;
  readonly counts: Counts;
}

/** What a line turned out to be. `other` holds no counts and is nothing to report. */
export type LineReading =
  | { readonly kind: 'usage'; readonly record: UsageRecord }
  | { readonly kind: 'other' }
  | { readonly kind: 'skipped'; readonly reason: SkipReason };

const OTHER: LineReading = { kind: 'other' };
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const SPACE = 0x20;

/** The model name under which Claude Code writes messages of its own making. */
const SYNTHETIC_MODEL = '<synthetic>';

/**
 * Reads one line of a log. `terminated` is false for a last line without line end, which may be cut off.
 *
 * A line that does not name `"usage"` and `"assistant"` cannot hold counts and is not parsed, only looked at for its
 * braces: prompts and file contents are most of a log, and none of our business.
 */
export function readRecord(line: Buffer, terminated: boolean): LineReading {
  const broken = skipped(terminated ? 'not_json' : 'truncated');
  let start = 0;
  let end = line.length;
  while (start < end && line[start]! <= SPACE) start += 1;
  while (end > start && line[end - 1]! <= SPACE) end -= 1;
  if (start === end) return OTHER;
  if (line[start] !== OPENING_BRACE || line[end - 1] !== CLOSING_BRACE) return broken;
  if (!line.includes('"usage"') || !line.includes('"assistant"')) return OTHER;
  try {
    return readEntry(JSON.parse(line.toString('utf8', start, end)));
  } catch {
    return broken;
  }
}

function readEntry(entry: unknown): LineReading {
  if (!isObject(entry) || entry['type'] !== 'assistant' || !isObject(entry['message'])) return OTHER;
  const message = entry['message'];
  if (!isObject(message['usage'])) return OTHER;
  if (message['model'] === SYNTHETIC_MODEL) return skipped('synthetic');
  const counts = readCounts(message['usage']);
  if (counts === null) return skipped('invalid_counts');
  const id = text(message['id']);
  const request = text(entry['requestId']);
  const identity = id === null ? fallbackIdentity(request, text(entry['uuid'])) : `message ${id}`;
  if (identity === null) return skipped('no_identity');
  // A sidechain copies messages of its parent, at times under a request id of its own.
  const loose = id === null || entry['isSidechain'] === true;
  return { kind: 'usage', record: { identity, request: loose ? null : request, counts } };
}

/** A line without message id is known by its request, else by its own id, which copies of it keep. */
function fallbackIdentity(request: string | null, uuid: string | null): string | null {
  if (request !== null) return `request ${request}`;
  return uuid === null ? null : `line ${uuid}`;
}

/** `input_tokens` excludes cache reads and writes already. A missing cache count is 0; a missing other count is a fault. */
function readCounts(usage: Readonly<Record<string, unknown>>): Counts | null {
  const input = count(usage['input_tokens']);
  const output = count(usage['output_tokens']);
  const cacheRead = count(usage['cache_read_input_tokens'] ?? 0);
  const cacheWrite = count(usage['cache_creation_input_tokens'] ?? 0);
  if (input === null || output === null || cacheRead === null || cacheWrite === null) return null;
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function skipped(reason: SkipReason): LineReading {
  return { kind: 'skipped', reason };
}
