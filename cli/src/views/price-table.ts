/** USD for a million tokens: input, output, cache read, cache write. */
type Prices = readonly [input: number, output: number, cache_read: number, cache_write: number];

/** When the table was last compared with the vendors' price lists. */
export const PRICES_AS_OF = '2026-11-23';

/**
 * List prices of the vendors' APIs, for short prompts, and cache writes for five minutes. Where a vendor does not charge cache
 * writes separately, they cost what input costs. Sources: the price lists of Anthropic (platform.claude.com), OpenAI
 * (developers.openai.com) and Google (ai.google.dev), and GitHub's list of model prices for Copilot.
 */
export const PRICE_TABLE: Readonly<Record<string, Prices>> = {
  'claude-fable-5-1': [10, 50, 0.25, 12.5],
  'claude-mythos-5-1': [10, 50, 0.25, 12.5],
  'claude-fable-5': [10, 50, 1, 12.5],
  'claude-mythos-5': [10, 50, 1, 12.5],
  'claude-opus-5-5': [4, 20, 0.2, 5],
  'claude-opus-5': [5, 25, 0.5, 6.25],
  'claude-opus-4-8': [5, 25, 0.5, 6.25],
  'claude-opus-4-7': [5, 25, 0.5, 6.25],
  'claude-opus-4-6': [5, 25, 0.5, 6.25],
  'claude-opus-4-5': [5, 25, 0.5, 6.25],
  'claude-opus-4-1': [15, 75, 1.5, 18.75],
  'claude-opus-4': [15, 75, 1.5, 18.75],
  'claude-3-opus': [15, 75, 1.5, 18.75],
  'claude-sonnet-5-5': [2, 10, 0.1, 2.5],
  'claude-sonnet-5': [2, 10, 0.2, 2.5],
  'claude-sonnet-4-6': [3, 15, 0.3, 3.75],
  'claude-sonnet-4-5': [3, 15, 0.3, 3.75],
  'claude-sonnet-4': [3, 15, 0.3, 3.75],
  'claude-3-7-sonnet': [3, 15, 0.3, 3.75],
  'claude-3-5-sonnet': [3, 15, 0.3, 3.75],
  'claude-haiku-5-5': [0.1, 0.5, 0.01, 0.125],
  'claude-haiku-4-5': [1, 5, 0.1, 1.25],
  'claude-3-5-haiku': [0.8, 4, 0.08, 1],
  'claude-3-haiku': [0.25, 1.25, 0.03, 0.3],
  'gpt-5.6-sol': [5, 30, 0.5, 6.25],
  'gpt-5.6-terra': [2, 12, 0.2, 2.5],
  'gpt-5.6-luna': [0.2, 1.2, 0.02, 0.25],
  'gpt-5.5': [5, 30, 0.5, 5],
  'gpt-5.4': [2.5, 15, 0.25, 2.5],
  'gpt-5.4-mini': [0.75, 4.5, 0.075, 0.75],
  'gpt-5.4-nano': [0.2, 1.25, 0.02, 0.2],
  'gpt-5.3-codex': [1.75, 14, 0.175, 1.75],
  'gpt-5.2-codex': [1.75, 14, 0.175, 1.75],
  'gpt-5.2': [1.75, 14, 0.175, 1.75],
  'gpt-5.1-codex-max': [1.25, 10, 0.125, 1.25],
  'gpt-5.1-codex-mini': [0.25, 2, 0.025, 0.25],
  'gpt-5.1-codex': [1.25, 10, 0.125, 1.25],
  'gpt-5.1': [1.25, 10, 0.125, 1.25],
  'gpt-5-codex': [1.25, 10, 0.125, 1.25],
  'gpt-5-mini': [0.25, 2, 0.025, 0.25],
  'gpt-5': [1.25, 10, 0.125, 1.25],
  'gemini-3.7-flash': [0.75, 3.75, 0.075, 0.75],
  'gemini-3.6-flash': [0.75, 3.75, 0.075, 0.75],
  'gemini-3.5-flash': [1.5, 9, 0.15, 1.5],
  'gemini-3.1-pro': [2, 12, 0.2, 2],
  'gemini-3-pro': [2, 12, 0.2, 2],
  'gemini-3-flash': [0.5, 3, 0.05, 0.5],
  'gemini-2.5-pro': [1.25, 10, 0.125, 1.25],
  'gemini-2.5-flash': [0.3, 2.5, 0.03, 0.3],
  'gemini-2.5-flash-lite': [0.1, 0.4, 0.01, 0.1],
  'kimi-k3': [3, 15, 0.3, 3],
};
