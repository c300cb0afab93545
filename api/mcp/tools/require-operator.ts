import { unrankedText, WINDOWS, type Window } from '../../../engine/contract/index.ts';
import type {
  BoardPage,
  BoardView,
  PageRequest,
  Profile,
  TierRange,
  WindowScore,
} from '../../../engine/ranking/index.ts';
import { notRankedText } from '../../v1/leaderboard/get-leaderboard.ts';
import { ToolError } from './tool.ts';

/** Codenames suggested for one that does not exist. */
const SUGGESTIONS = 5;

/** An operator's profile. Throws a ToolError with similar codenames when it does not exist. */
export async function requireOperator(board: BoardView, codename: string): Promise<Profile> {
  const [profile] = await requireOperators(board, [codename]);
  return profile!;
}

/** Several profiles, in the order of `codenames`. Throws a ToolError with a line for each unknown codename. */
export async function requireOperators(board: BoardView, codenames: readonly string[]): Promise<Profile[]> {
  const found = await Promise.all(codenames.map((codename) => board.profile(codename)));
  const missing = codenames.filter((_, index) => found[index] === null);
  if (missing.length === 0) return found.filter((profile) => profile !== null);
  const messages = missing.map(async (codename) => {
    const like = await board.codenamesLike(codename, SUGGESTIONS);
    const next =
      like.length === 0
        ? 'There are no operators yet.'
        : `Most similar codenames: ${like.join(', ')}. Call again with one of these, or list operators with get_leaderboard.`;
    return `No operator has the codename ${JSON.stringify(codename)}. ${next}`;
  });
  throw new ToolError((await Promise.all(messages)).join('\n'));
}

/** A standing without null scores. */
export type RankedStanding = {
  readonly [Key in 'yield_' | 'leverage' | 'velocity' | 'class_tier' | 'rank' | 'percentile']: NonNullable<
    WindowScore[Key]
  >;
};

/** An operator's standing in a window. Throws a ToolError with the windows in which it is ranked when it is not ranked in this one. */
export function requireRanked({ codename, windows }: Profile, window: Window): RankedStanding {
  const standing = rankedStanding(windows[window]);
  if (standing !== null) return standing;
  const others = WINDOWS.filter((other) => rankedStanding(windows[other]) !== null);
  const next =
    others.length === 0
      ? 'It is not ranked in any window.'
      : `Call again with window ${others.join(' or ')}, where it is ranked.`;
  throw new ToolError(
    `${codename} is not ranked in the window ${window}, because ${unrankedText(windows[window].unranked)}. ${next}`,
  );
}

/** A standing, or null where the operator is not ranked. */
export function rankedStanding(score: WindowScore): RankedStanding | null {
  const { yield_, leverage, velocity, class_tier, rank, percentile } = score;
  if (yield_ === null || leverage === null || velocity === null) return null;
  if (class_tier === null || rank === null || percentile === null) return null;
  return { yield_, leverage, velocity, class_tier, rank, percentile };
}

export const NOT_KEPT =
  'There is no kept board of this moment. Kept are every hour of the last day and the first board of each of the last 100 days: GET /boards lists them.';

/** A page of a board. Throws a ToolError with the reason when there is none. */
export async function requirePage(board: BoardView, request: PageRequest): Promise<BoardPage> {
  const page = await board.page(request);
  if (page.kind === 'page') return page;
  if (page.kind === 'not_kept') throw new ToolError(NOT_KEPT);
  const why = page.kind === 'operator_unknown' ? 'No operator has this codename.' : notRankedText(page, request.window);
  throw new ToolError(`${why} List operators without around.`);
}

/** The range of a tier. Throws a ToolError with the tiers of the board when its methodology has no such tier. */
export function requireTier(ranges: readonly TierRange[], name: string): TierRange {
  const range = ranges.find((candidate) => candidate.name === name);
  if (range !== undefined) return range;
  throw new ToolError(`This board has no tier ${name}. Its tiers: ${ranges.map((tier) => tier.name).join(', ')}.`);
}
