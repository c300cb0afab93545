import type { Counts } from '../../../../engine/contract/signing/index.ts';
import { isObject } from '../../json.ts';
import { optionalCount } from '../fields.ts';

/** Codex's counts: `input` includes cached tokens, `output` includes reasoning. */
export interface CodexUsage {
  readonly input: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

const FIELDS = ['input', 'cached', 'cacheWrite', 'output', 'reasoning'] as const;

/** Reads a usage object; null when there is none, `invalid` when one of its counts is not a count. */
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

/** The growth of a cumulative total; null when any field decreased, which means that the counter was reset. */
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

/** The counts as text, for an event's keys. */
export function usageText(usage: CodexUsage | null): string {
  if (usage === null) return '-';
  const { input, cached, cacheWrite, output, reasoning } = usage;
  return `${input},${cached},${cacheWrite},${output},${reasoning}`;
}

/** The four counts: input excludes cached tokens and cache writes; output includes reasoning. */
export function codexCounts({ input, cached, cacheWrite, output }: CodexUsage): Counts {
  return { input: Math.max(0, input - cached - cacheWrite), output, cache_read: cached, cache_write: cacheWrite };
}
