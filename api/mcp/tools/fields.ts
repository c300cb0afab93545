import * as z from 'zod';
import {
  LeaderboardEntry,
  LeaderboardResponse,
  SELECTION_HINTS,
  WINDOWS,
  type Window,
  windowDaysList,
} from '../../../engine/contract/index.ts';
import { levelWords } from '../../../engine/contract/integrity-level.ts';
import { PLATFORMS } from '../../../engine/contract/platforms.ts';
import type { BoardPage, BoardView } from '../../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import { MAX_CODENAME_LENGTH } from '../../v1/operators.ts';

/** What `integrity` of a row says, for descriptions of tools. */
export const INTEGRITY_TEXT =
  `\`integrity.level\` is what stands behind the counts (${levelWords()}). ` +
  '`witnessed_days` counts the days of the last 45 on which snapshots arrived with fresh growth. Boards have settled rows; one that ' +
  'is held has no rank yet, a `would_be` and what is `missing`. `integrity.flags` names findings that hold or exclude the row: they ' +
  'are about numbers, not about a person. The evidence, once public, is on the site at /operators/CODENAME/integrity/FLAG.';

/** The input of a tool: names that choose something on other boards, or elsewhere here, are refused with what to use. */
export function toolInput<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? issue.keys.map(refusalOf).join(' ') : undefined),
  });
}

function refusalOf(name: string): string {
  const hint = SELECTION_HINTS.get(name)?.replace('GET /leaderboard', 'get_leaderboard') ?? 'Leave it out.';
  return `${JSON.stringify(name)} is not supported here. ${hint}`;
}

/** Every class tier of all methodologies, oldest methodology first. */
const TIER_NAMES = [...new Set([...METHODOLOGIES.values()].flatMap(({ tiers }) => tiers.map(({ name }) => name)))];

export const windowField = z
  .enum(WINDOWS)
  .default('all_time')
  .describe(`Window of the ranked totals: all time, or the last ${windowDaysList('or')} days.`);

export const codenameField = z
  .string()
  .min(1)
  .max(MAX_CODENAME_LENGTH)
  .describe('Public codename of an operator, in any case, for example one that get_leaderboard returned.');

export const platformField = z
  .enum(PLATFORMS)
  .optional()
  .describe('An AI platform: the board that ranks by its counts alone.');

export const tierField = z.enum(TIER_NAMES).describe('Class tier by Yield, lowest first.');

/** The board from which a result was read. */
export const boardFields = {
  window: z.enum(WINDOWS),
  board_version: z.int().min(1).describe('Version of the board that was read.'),
  methodology: z.int().min(1).describe('Methodology of that board.'),
  generated_at: z.iso.datetime().describe('When this answer was generated.'),
  board_at: z.iso.datetime().describe('When the board was published.'),
  total_operators: z.int().min(0).describe('Ranked operators in the window.'),
};

/** The board of which a page was read: of all operators, of a platform, or a kept one. */
export const pageFields = {
  ...boardFields,
  board_version: boardFields.board_version.optional(),
  platform: LeaderboardResponse.shape.platform,
  at: LeaderboardResponse.shape.at,
};

/** What a result says of that board. */
export function pageHead({ view }: Pick<BoardView, 'view'>, page: BoardPage, window: Window, platform: string | null) {
  const { version, methodology, boardAt, total: total_operators } = page;
  const [generated_at, board_at] = [view.readAt, boardAt].map((at) => new Date(at).toISOString());
  const at = version === null ? board_at : null;
  const board_version = version ?? undefined;
  return { window, board_version, methodology, generated_at, board_at, total_operators, platform, at };
}

/** A quotient of two scores; null when it is not finite. */
export const ratio = z.number().nullable();

/** An entry without the display name: a model must not read text that an operator chose. */
export const Entry = LeaderboardEntry.omit({ display_name: true });

/** The public members of an entry, without movement. */
export const Line = z.object({
  codename: z.string(),
  rank: z.int().min(1),
  platform: z.string(),
  class_tier: z.string(),
  yield_: z.number().describe('Leverage times Velocity: cache_read x output / input^2.'),
  leverage: z.number().describe('cache_read / input.'),
  velocity: z.number().describe('output / input.'),
});
