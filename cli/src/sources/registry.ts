import type { Platform } from '../../../engine/contract/platforms.ts';
import { amp } from './amp.ts';
import { claudeCode } from './claude-code.ts';
import { clineFamily } from './cline-family.ts';
import { codex } from './codex.ts';
import { copilotCli } from './copilot-cli.ts';
import { devin } from './devin.ts';
import { droid } from './droid.ts';
import { geminiCli } from './gemini-cli.ts';
import { goose } from './goose.ts';
import { grokCli } from './grok-cli.ts';
import { hermes } from './hermes.ts';
import { kimi } from './kimi.ts';
import { openclaw } from './openclaw.ts';
import { kiloCli, opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwenCode } from './qwen-code.ts';
import type { Source } from './source.ts';
import { zed } from './zed.ts';

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
  'grok-cli': grokCli,
  goose,
  devin,
  zed,
};

export const SOURCES: readonly Source[] = Object.values(SOURCE_OF);

/** The platform names that the tool signs: a closed list. `other` is for counts of an unlisted tool. */
export const PLATFORMS: readonly string[] = [...SOURCES.map(({ platform }) => platform), 'other'];

/**
 * Popular tools that this version does not count, with the reason, when it was last checked, and where that is shown. Their counts are
 * never estimated. Check them at each release: tools begin to store counts.
 */
export const UNRANKABLE = [
  {
    title: 'Cursor',
    reason: 'stores no cache counts on the machine, and with its present agent no counts at all',
    checked: '2026-08',
    source: 'https://github.com/chattymin/PokeTokenBar/issues/196',
  },
  {
    title: 'Crush',
    reason: 'stores only totals of input and output, without cache counts',
    checked: '2026-05',
    source: 'https://github.com/getagentseal/codeburn/issues/278',
  },
  {
    title: 'Warp',
    reason: 'stores only one total for each model of a conversation',
    checked: '2026-06',
    source: 'https://github.com/warpdotdev/warp/issues/12627',
  },
  {
    title: 'Antigravity',
    reason:
      'keeps input, output and cache reads in a binary form that is not documented: no reader found cache writes, and times ' +
      'differ by version (its older conversations, .pb, are encrypted)',
    checked: '2026-09',
    source: 'https://github.com/xiufengsun/TokenTracker/issues/595',
  },
] as const;

/** The sources of some platforms; all sources when `platforms` is empty. */
export function sourcesOf(platforms: readonly string[]): readonly Source[] {
  return SOURCES.filter(({ platform }) => platforms.length === 0 || platforms.includes(platform));
}
