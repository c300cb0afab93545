import type { Counts } from '../../../engine/contract/signing/index.ts';
import { objectOf } from '../json.ts';
import type { MetricPoint } from './metrics-request.ts';

/** A metric of tokens: what a token of each kind adds to the four counts. */
interface TokenMetric {
  readonly platform: string;
  /** The attribute with the kind of tokens. */
  readonly attribute: string;
  readonly kinds: Readonly<Record<string, Partial<Counts>>>;
}

/** The metrics of tokens that AI tools emit. Counts are those of the tools' logs, as the sources map them. */
const TOKEN_METRICS: Readonly<Record<string, TokenMetric>> = {
  'claude_code.token.usage': {
    platform: 'claude-code',
    attribute: 'type',
    kinds: {
      input: { input: 1 },
      output: { output: 1 },
      cacheRead: { cache_read: 1 },
      cacheCreation: { cache_write: 1 },
    },
  },
  // A histogram over turns; input includes what was cached.
  'codex.turn.token_usage': {
    platform: 'codex',
    attribute: 'token_type',
    kinds: {
      input: { input: 1 },
      cached_input: { cache_read: 1, input: -1 },
      cache_write_input: { cache_write: 1, input: -1 },
      output: { output: 1 },
    },
  },
  // Input includes what was cached, and excludes tool.
  'gemini_cli.token.usage': {
    platform: 'gemini-cli',
    attribute: 'type',
    kinds: {
      input: { input: 1 },
      cache: { cache_read: 1, input: -1 },
      tool: { input: 1 },
      output: { output: 1 },
      thought: { output: 1 },
    },
  },
};

/** The platforms whose tools emit metrics of tokens. */
export const METERED_PLATFORMS: readonly string[] = Object.values(TOKEN_METRICS).map(({ platform }) => platform);

export function isTokenMetric(name: string): boolean {
  return Object.hasOwn(TOKEN_METRICS, name);
}

/** The platform of a point, and what each of its tokens adds to the counts; null for tokens that are not counted. */
export function tokensOf({ metric, attributes }: MetricPoint): { platform: string; adds: Partial<Counts> } | null {
  const known = TOKEN_METRICS[metric];
  if (known === undefined) return null;
  const textOf = (name: string): unknown =>
    objectOf(attributes.find(({ key }) => key === name)?.['value'])['stringValue'];
  const kind = String(textOf(known.attribute));
  // Requests of Claude Code for its own purposes, such as titles, are not in its logs.
  if (textOf('query_source') === 'auxiliary' || !Object.hasOwn(known.kinds, kind)) return null;
  return { platform: known.platform, adds: known.kinds[kind]! };
}
