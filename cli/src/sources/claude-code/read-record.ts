import { isObject } from '../../json.ts';
import { count, moment, optionalCount, text } from '../fields.ts';
import type { UsageSink } from '../source.ts';

/** The model name of messages that Claude Code itself writes. */
const SYNTHETIC_MODEL = '<synthetic>';

/** Reads one record of a log, if it is a model's message. */
export function readRecord(entry: Readonly<Record<string, unknown>>, sink: UsageSink): void {
  const message = entry['message'];
  if (entry['type'] !== 'assistant' || !isObject(message)) return;
  const usage = message['usage'];
  if (!isObject(usage)) return;
  if (message['model'] === SYNTHETIC_MODEL) return sink.skip('synthetic');
  // `input_tokens` already excludes cache reads and writes. A missing cache count is 0; another missing count is invalid.
  const input = count(usage['input_tokens']);
  const output = count(usage['output_tokens']);
  const cacheRead = optionalCount(usage['cache_read_input_tokens']);
  const cacheWrite = optionalCount(usage['cache_creation_input_tokens']);
  if (input === null || output === null || cacheRead === null || cacheWrite === null) {
    return sink.skip('invalid_counts');
  }
  const id = text(message['id']);
  const request = text(entry['requestId']);
  const identity = id === null ? fallbackIdentity(request, text(entry['uuid'])) : `message ${id}`;
  if (identity === null) return sink.skip('no_identity');
  // A sidechain copies messages of its parent, sometimes with another request id.
  const ignoresRequest = id === null || entry['isSidechain'] === true;
  sink.add({
    keys: [identity],
    request: ignoresRequest ? null : request,
    counts: { input, output, cache_read: cacheRead, cache_write: cacheWrite },
    at: moment(entry['timestamp']),
  });
}

/** A record without a message id is identified by its request, else by its uuid, which copies of it keep. */
function fallbackIdentity(request: string | null, uuid: string | null): string | null {
  if (request !== null) return `request ${request}`;
  return uuid === null ? null : `line ${uuid}`;
}
