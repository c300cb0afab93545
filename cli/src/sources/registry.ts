import { claudeCode } from './claude-code/claude-code.ts';
import { codex } from './codex/codex.ts';
import { amp } from './experimental/amp.ts';
import { cline, kiloCode, rooCode } from './experimental/cline-family.ts';
import { copilotCli } from './experimental/copilot-cli.ts';
import { droid } from './experimental/droid.ts';
import { kimi } from './experimental/kimi.ts';
import { pi } from './experimental/pi.ts';
import { qwenCode } from './experimental/qwen-code.ts';
import { geminiCli } from './gemini-cli/gemini-cli.ts';
import { opencode } from './opencode/opencode.ts';
import type { Source } from './source.ts';

/** Every source, in display order. They load heavy dependencies on demand. */
export const SOURCES: readonly Source[] = [
  claudeCode,
  codex,
  geminiCli,
  opencode,
  copilotCli,
  qwenCode,
  amp,
  droid,
  kimi,
  pi,
  cline,
  rooCode,
  kiloCode,
];

/** The sources of some platforms; all sources when `platforms` is empty. */
export function sourcesOf(platforms: readonly string[]): readonly Source[] {
  return SOURCES.filter(({ platform }) => platforms.length === 0 || platforms.includes(platform));
}
