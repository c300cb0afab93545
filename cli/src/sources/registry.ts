import type { Platform } from '../../../engine/contract/platforms.ts';
import { amp } from './amp.ts';
import { claudeCode } from './claude-code.ts';
import { clineFamily } from './cline-family.ts';
import { codex } from './codex.ts';
import { copilotCli } from './copilot-cli.ts';
import { droid } from './droid.ts';
import { geminiCli } from './gemini-cli.ts';
import { hermes } from './hermes.ts';
import { kimi } from './kimi.ts';
import { openclaw } from './openclaw.ts';
import { kiloCli, opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwenCode } from './qwen-code.ts';
import type { Source } from './source.ts';

/** The source of every platform, in display order. They load heavy dependencies on demand. */
const SOURCE_OF: Readonly<Record<Platform, Source>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  opencode,
  'copilot-cli': copilotCli,
  'qwen-code': qwenCode,
  amp,
  droid,
  kimi,
  pi,
  ...clineFamily,
  'kilo-cli': kiloCli,
  openclaw,
  hermes,
};

export const SOURCES: readonly Source[] = Object.values(SOURCE_OF);

/** The platform names that the tool signs: a closed list. `other` is for counts of an unlisted tool. */
export const PLATFORMS: readonly string[] = [...SOURCES.map(({ platform }) => platform), 'other'];

/** Popular tools whose local files lack counts that a rank needs, with the reason. Their counts are never estimated. */
export const UNRANKABLE = [
  { title: 'Cursor', reason: 'stores no cache counts on the machine, and since September 2025 no counts at all' },
  { title: 'Goose', reason: 'stores only totals of input and output, without cache counts' },
  { title: 'Grok CLI', reason: 'stores only one total for input, output and cache' },
  { title: 'Crush, Warp, Antigravity, Devin', reason: 'store no token counts on the machine' },
] as const;

/** The sources of some platforms; all sources when `platforms` is empty. */
export function sourcesOf(platforms: readonly string[]): readonly Source[] {
  return SOURCES.filter(({ platform }) => platforms.length === 0 || platforms.includes(platform));
}
