import { WINDOW_COUNT } from '../../../../engine/ranking/core/board/index.ts';
import { benchCodename } from '../../frame/seed-population.ts';
import type { VersionFacts } from './follow-manifest.ts';
import { countGreater, type Entry, inBoardOrder, type NaivePopulation } from './naive-population.ts';
import type { LeaderboardSeen, ProfileSeen, Responses } from './poll-responses.ts';

/** Operators that submit, with numbers from `first` on. */
export interface LiveOperators {
  readonly first: number;
  readonly codenames: readonly string[];
}

interface Model {
  readonly population: NaivePopulation;
  readonly live: LiveOperators;
  readonly factsOf: (version: number) => VersionFacts;
}

/** Counts of checked responses. */
export type CheckedResponses = ReturnType<typeof checkResponses>;

/** Recomputes every response from the board version that it contains. @throws for a response that differs. */
export function checkResponses({ leaderboards, profiles }: Pick<Responses, 'leaderboards' | 'profiles'>, model: Model) {
  const versions = new Set<number>();
  const byMethodology: Record<number, number> = {};
  const count = (version = 0, methodology = 0): void => {
    versions.add(version);
    byMethodology[methodology] = (byMethodology[methodology] ?? 0) + 1;
  };
  for (const seen of leaderboards) {
    checkLeaderboard(seen, model);
    count(seen.board.board_version, seen.board.methodology);
  }
  for (const seen of profiles) {
    checkProfile(seen, model);
    count(seen.version, seen.methodology);
  }
  /** `byMethodology`: responses by the methodology of their board. */
  return { leaderboards: leaderboards.length, profiles: profiles.length, versions: versions.size, byMethodology };
}

/** The Yields of the live operators in one window, in the order of their numbers. */
function liveYields({ yields }: VersionFacts, window: number): Float64Array {
  return Float64Array.from(
    { length: yields.length / WINDOW_COUNT },
    (_, index) => yields[index * WINDOW_COUNT + window]!,
  );
}

function factsFor({ factsOf }: Model, version: number, methodology: number): VersionFacts {
  const facts = factsOf(version);
  if (facts.methodology === methodology) return facts;
  throw new Error(`version ${version} is of methodology ${facts.methodology}, but a response has ${methodology}`);
}

function checkLeaderboard({ window, board }: LeaderboardSeen, model: Model): void {
  const { board_version = 0, methodology = 0, total_operators, entries = [] } = board;
  const unchanging = model.population(methodology)[window]!;
  const live = liveYields(factsFor(model, board_version, methodology), window);
  const ranked: Entry[] = [];
  for (const [index, yield_] of live.entries()) {
    if (!Number.isNaN(yield_)) ranked.push({ operator: model.live.first + index, yield_ });
  }
  const expected = [...unchanging.best, ...ranked].sort(inBoardOrder).slice(0, entries.length);
  const wrong = entries.findIndex(({ yield_, rank, codename }, index) => {
    const { operator, yield_: known } = expected[index]!;
    const name = model.live.codenames[operator - model.live.first] ?? benchCodename(operator);
    const place = 1 + expected.filter((other) => other.yield_ > known).length;
    return yield_ !== known || rank !== place || codename !== name;
  });
  const total = unchanging.sorted.length + ranked.length;
  if (wrong < 0 && total_operators === total) return;
  const what = wrong < 0 ? `${total_operators} operators, not ${total}` : JSON.stringify(entries[wrong]);
  throw new Error(`a leaderboard differs from version ${board_version}, window ${window}: ${what}`);
}

function checkProfile({ operator, version, methodology, windows }: ProfileSeen, model: Model): void {
  const facts = factsFor(model, version, methodology);
  for (const [window, { yield_, rank }] of windows.entries()) {
    const unchanging = model.population(methodology)[window]!;
    const isLive = operator >= model.live.first;
    const known = unchanging.yields[operator] ?? Number.NaN;
    // A submitting operator's Yield may be newer than the board; its rank is computed against the board.
    const own = isLive ? (yield_ ?? Number.NaN) : known;
    const others = liveYields(facts, window).filter(
      (other, index) => other > own && model.live.first + index !== operator,
    );
    const expected = Number.isNaN(own) ? null : 1 + countGreater(unchanging.sorted, own) + others.length;
    const same =
      rank === expected && (isLive || (yield_ ?? Number.NaN) === own || (yield_ === null && Number.isNaN(own)));
    if (same) continue;
    const seen = JSON.stringify({ operator, window, yield_, rank });
    throw new Error(`a profile differs from version ${version}: ${seen}, expected rank ${expected} for ${own}`);
  }
}
