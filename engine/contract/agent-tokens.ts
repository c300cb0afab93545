import type { Counts } from './signing/index.ts';

/** What one agent at full speed can process in an hour: 400 output tokens a second, and contexts of a million tokens every 6 s. */
export const AGENT_TOKENS_AN_HOUR: Counts = {
  input: 600_000_000,
  output: 1_500_000,
  cache_read: 600_000_000,
  cache_write: 600_000_000,
};
