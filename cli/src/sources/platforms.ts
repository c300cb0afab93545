/**
 * The platform names that the tool signs: a closed list, so that the same tool has the same name everywhere. `other` is for
 * counts of an unlisted tool. Names are never changed or reused.
 */
export const PLATFORMS = [
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'copilot-cli',
  'qwen-code',
  'amp',
  'droid',
  'kimi',
  'pi',
  'cline',
  'roo-code',
  'kilo-code',
  'other',
] as const;

export type Platform = (typeof PLATFORMS)[number];

export function isPlatform(text: string): text is Platform {
  return PLATFORMS.some((platform) => platform === text);
}
