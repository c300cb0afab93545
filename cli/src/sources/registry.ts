import type { Platform } from './platforms.ts';
import type { Source } from './source.ts';

/** Answers the source, loaded when a scan needs it; null when the platforms asked for (empty = all) do not include it. */
type LoadSource = (platforms: readonly string[]) => Promise<Source | null>;

/** Every source the tool knows, in the order in which they are shown. */
export const SOURCES: readonly LoadSource[] = [
  entry('claude-code', async () => (await import('./claude-code/claude-code.ts')).claudeCode),
  entry('codex', async () => (await import('./codex/codex.ts')).codex),
  entry('gemini-cli', async () => (await import('./gemini-cli/gemini-cli.ts')).geminiCli),
  entry('opencode', async () => (await import('./opencode/opencode.ts')).opencode),
  entry('copilot-cli', async () => (await import('./experimental/copilot-cli.ts')).copilotCli),
  entry('qwen-code', async () => (await import('./experimental/qwen-code.ts')).qwenCode),
  entry('amp', async () => (await import('./experimental/amp.ts')).amp),
  entry('droid', async () => (await import('./experimental/droid.ts')).droid),
  entry('kimi', async () => (await import('./experimental/kimi.ts')).kimi),
  entry('pi', async () => (await import('./experimental/pi.ts')).pi),
  entry('cline', async () => (await import('./experimental/cline-family.ts')).cline),
  entry('roo-code', async () => (await import('./experimental/cline-family.ts')).rooCode),
  entry('kilo-code', async () => (await import('./experimental/cline-family.ts')).kiloCode),
];

function entry(platform: Platform, load: () => Promise<Source>): LoadSource {
  return async (platforms) => (platforms.length === 0 || platforms.includes(platform) ? await load() : null);
}
