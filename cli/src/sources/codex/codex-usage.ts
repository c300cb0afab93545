import type { Counts } from '../../../../engine/contract/signing/index.ts';
import { isObject } from '../../json.ts';
import { optionalCount } from '../fields.ts';

/** Codex's own counts: `input` includes what was cached, `output` what was reasoned. */
export interface CodexUsage {
  readonly input: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

const FIELDS = ['input', 'cached', 'cacheWrite', 'output', 'reasoning'] as const;

/** Reads a usage object; null when there is none, `invalid` when one of its counts is no count. */
export function readCodexUsage(value: unknown): CodexUsage | null | 'invalid' {
  if (!isObject(value)) return null;
  const input = optionalCount(value['input_tokens']);
  const cached = optionalCount(value['cached_input_tokens'] ?? value['cache_read_input_tokens']);
  const cacheWrite = optionalCount(value['cache_write_input_tokens'] ?? value['cache_creation_input_tokens']);
  const output = optionalCount(value['output_tokens']);
  const reasoning = optionalCount(value['reasoning_output_tokens']);
  if (input === null || cached === null || cacheWrite === null || output === null || reasoning === null)
    return 'invalid';
  return { input, cached, cacheWrite, output, reasoning };
}

/** What a cumulative total adds to the one before; null when it went down anywhere, which means it started anew. */
export function increase(total: CodexUsage, before: CodexUsage): CodexUsage | null {
  if (FIELDS.some((field) => total[field] < before[field])) return null;
  return {
    input: total.input - before.input,
    cached: total.cached - before.cached,
    cacheWrite: total.cacheWrite - before.cacheWrite,
    output: total.output - before.output,
    reasoning: total.reasoning - before.reasoning,
  };
}

export function isEqual(left: CodexUsage, right: CodexUsage): boolean {
  return FIELDS.every((field) => left[field] === right[field]);
}

/** The counts as text: a part of the name that tells an event from others. */
export function usageText(usage: CodexUsage | null): string {
  if (usage === null) return '-';
  const { input, cached, cacheWrite, output, reasoning } = usage;
  return `${input},${cached},${cacheWrite},${output},${reasoning}`;
}

/** The four counts: what was cached or written to the cache is no input, reasoning is within the output. */
export function codexCounts({ input, cached, cacheWrite, output }: CodexUsage): Counts {
  return { input: Math.max(0, input - cached - cacheWrite), output, cache_read: cached, cache_write: cacheWrite };
}
