/** Every platform whose logs the tool reads. Stored numbers name a platform by its place: append only. */
export const PLATFORMS = [
  'claude-code',
  'codex',
  'gemini-cli',
  'qwen-code',
  'kimi',
  'opencode',
  'amp',
  'droid',
  'pi',
  'copilot-cli',
  'cline',
  'roo-code',
  'kilo-code',
  'kilo-cli',
  'openclaw',
  'hermes',
  'grok-cli',
  'goose',
  'devin',
  'zed',
] as const;

export type Platform = (typeof PLATFORMS)[number];
