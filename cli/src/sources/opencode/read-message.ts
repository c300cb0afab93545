import type { Counts } from '../../../../engine/contract/signing/index.ts';
import { count, hasAnyTokens, member, moment, optionalCount, text } from '../fields.ts';
import type { UsageSink } from '../source.ts';

/**
 * Reads an assistant's message. Its keys are its id, and its times, model and counts together: a fork copies messages under
 * new ids and keeps these.
 */
export function readMessage(message: Readonly<Record<string, unknown>>, rowId: string | null, sink: UsageSink): void {
  const tokens = member(message, 'tokens');
  if (tokens === null) return;
  const counts = readCounts(tokens);
  if (counts === null) return sink.skip('invalid_counts');
  if (!hasAnyTokens(counts)) return;
  const time = member(message, 'time');
  const at = moment(time?.['created']);
  const id = text(message['id']) ?? rowId;
  const keys = [
    ...(id === null ? [] : [`message ${id}`]),
    ...copyKey(message, at, moment(time?.['completed']), counts),
  ];
  if (keys.length === 0) return sink.skip('no_identity');
  sink.add({ keys, request: null, counts, at });
}

/** The key that copies of a finished message share. Without both times the key would not be unique. */
function copyKey(
  message: Readonly<Record<string, unknown>>,
  created: number | null,
  completed: number | null,
  { input, output, cache_read, cache_write }: Counts,
): readonly string[] {
  if (created === null || completed === null) return [];
  const model = text(message['modelID']) ?? text(member(message, 'model')?.['id']) ?? '';
  return [`copy ${created} ${completed} ${model} ${input} ${output} ${cache_read} ${cache_write}`];
}

function readCounts(tokens: Readonly<Record<string, unknown>>): Counts | null {
  const cache = member(tokens, 'cache');
  const input = count(tokens['input']);
  const output = count(tokens['output']);
  const reasoning = optionalCount(tokens['reasoning']);
  const cacheRead = optionalCount(cache?.['read']);
  const cacheWrite = optionalCount(cache?.['write']);
  if (input === null || output === null || reasoning === null || cacheRead === null || cacheWrite === null) return null;
  return { input, output: output + reasoning, cache_read: cacheRead, cache_write: cacheWrite };
}
