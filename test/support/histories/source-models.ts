/**
 * How counts of a request come about.
 *
 * - `explicit`: a few uncached tokens of input, the new part of the context is written to the cache, the rest is read.
 * - `automatic`: nothing is written; what the cache does not have is input.
 * - `none`: the whole context is input.
 * - `inclusive`: as `automatic`, but the input includes what is read.
 */
export type CacheStyle = 'explicit' | 'automatic' | 'none' | 'inclusive';

/** What is known of a source's counts. Each list of values is drawn from once per operator. */
export interface SourceModel {
  readonly platform: string;
  /** The first day with counts in its logs. */
  readonly since: number;
  readonly styles: readonly CacheStyle[];
  /** Tokens of context at which it compacts. */
  readonly contexts: readonly number[];
  /** Most uncached tokens of input of an `explicit` request. */
  readonly uncached: readonly number[];
  /** Share of `automatic` requests that find their context in the cache. */
  readonly hits: readonly number[];
  /** A session's usage is dated to its end, or in day ends to its start; undefined: to each request. */
  readonly dated?: 'end' | 'start';
}

const ANY_PROVIDER: readonly CacheStyle[] = ['explicit', 'explicit', 'automatic', 'automatic', 'none'];
const EXTENSION: readonly CacheStyle[] = ['explicit', 'explicit', 'automatic', 'none', 'inclusive'];
const MOSTLY_EXPLICIT: readonly CacheStyle[] = ['explicit', 'explicit', 'automatic'];
const MOSTLY_AUTOMATIC: readonly CacheStyle[] = ['automatic', 'automatic', 'none'];

function source(
  platform: string,
  since: string,
  styles: readonly CacheStyle[],
  others: Partial<SourceModel> = {},
): SourceModel {
  const contexts = [120e3, 160e3, 200e3, 260e3];
  const usual = { contexts, uncached: [4, 12, 20, 200, 2_000], hits: [0.7, 0.85, 0.95, 0.98] };
  return { platform, since: Date.parse(since), styles, ...usual, ...others };
}

/** Every source of the tool, in its order. */
export const SOURCE_MODELS: readonly SourceModel[] = [
  source('claude-code', '2025-02-24', ['explicit'], {
    contexts: [130e3, 160e3, 160e3, 190e3, 900e3],
    uncached: [2, 4, 8, 20, 20],
  }),
  source('codex', '2025-09-06', ['automatic'], { contexts: [180e3, 245e3, 380e3] }),
  source('gemini-cli', '2025-06-25', MOSTLY_AUTOMATIC, {
    contexts: [200e3, 500e3, 900e3],
    hits: [0.3, 0.6, 0.8, 0.95],
  }),
  source('opencode', '2025-06-19', ANY_PROVIDER),
  source('copilot-cli', '2025-09-25', MOSTLY_EXPLICIT, { dated: 'end' }),
  source('qwen-code', '2025-07-22', MOSTLY_AUTOMATIC, { hits: [0.3, 0.6, 0.9] }),
  source('amp', '2025-05-15', ['explicit']),
  source('droid', '2025-09-25', ANY_PROVIDER, { dated: 'start' }),
  source('kimi', '2025-10-28', ['automatic']),
  source('pi', '2025-11-15', ANY_PROVIDER),
  source('cline', '2024-08-20', EXTENSION),
  source('roo-code', '2024-11-01', EXTENSION),
  source('kilo-code', '2025-03-20', EXTENSION),
  source('kilo-cli', '2026-02-03', ANY_PROVIDER),
  source('openclaw', '2025-11-24', ANY_PROVIDER),
  source('hermes', '2026-02-26', ANY_PROVIDER, { dated: 'start' }),
  source('grok-cli', '2026-07-16', ['automatic'], { dated: 'end' }),
  source('goose', '2026-06-11', ANY_PROVIDER),
  source('devin', '2026-07-03', MOSTLY_EXPLICIT),
  source('zed', '2026-06-03', ANY_PROVIDER, { dated: 'start' }),
];
