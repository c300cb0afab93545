import type { Source } from './source.ts';

/** Every source the tool knows, loaded when a scan needs it. */
export const SOURCES: ReadonlyArray<() => Promise<Source>> = [
  async () => (await import('./claude-code/claude-code.ts')).claudeCode,
];
