import { WINDOW_COUNT } from '../../../../engine/ranking/core/board/index.ts';
import { benchCodename } from '../seed-records.ts';
import type { VersionFacts } from './follow-roots.ts';
import { type Entry, inBoardOrder, type NaivePopulation } from './naive-field.ts';
import { countGreater } from './naive-scores.ts';
import type { Answers, LeaderboardSeen, ProfileSeen } from './poll-answers.ts';

/** Operators that submit, numbered from `first` on. */
export interface LiveOperators {
  readonly first: number;
  readonly codenames: readonly string[];
}

interface Model {
  readonly field: NaivePopulation;
  readonly live: LiveOperators;
  readonly factsOf: (version: number) => VersionFacts;
}

/** What was seen and found right. */
export interface CheckedAnswers {
  readonly leaderboards: number;
  readonly profiles: number;
  readonly versions: number;
  /** Answers by the methodology of their board. */
  readonly byMethodology: Readonly<Record<number, number>>;
}

/** Works every answer out again from the board version that it names. Throws for one that is not of that version. */
export function checkAnswers(answers: Answers, model: Model): CheckedAnswers {
  const versions = new Set<number>();
  const byMethodology: Record<number, number> = {};
  const count = (version: number, methodology: number): void => {
    versions.add(version);
    byMethodology[methodology] = (byMethodology[methodology] ?? 0) + 1;
  };
  for (const seen of answers.leaderboards) {
    checkLeaderboard(seen, model);
    count(seen.board.board_version ?? 0, seen.board.methodology ?? 0);
  }
  for (const seen of answers.profiles) {
    checkProfile(seen, model);
    count(seen.version, seen.methodology);
  }
  const { leaderboards, profiles } = answers;
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
  throw new Error(`version ${version} is of methodology ${facts.methodology}, and an answer says ${methodology}`);
}

function checkLeaderboard({ window, board }: LeaderboardSeen, model: Model): void {
  const { board_version = 0, methodology = 0, total_operators, entries = [] } = board;
  const still = model.field(methodology)[window]!;
  const live = liveYields(factsFor(model, board_version, methodology), window);
  const ranked: Entry[] = [];
  for (const [index, yield_] of live.entries()) {
    if (!Number.isNaN(yield_)) ranked.push({ operator: model.live.first + index, yield_ });
  }
  const expected = [...still.best, ...ranked].sort(inBoardOrder).slice(0, entries.length);
  const wrong = entries.findIndex(({ yield_, rank, codename }, index) => {
    const { operator, yield_: known } = expected[index]!;
    const name = model.live.codenames[operator - model.live.first] ?? benchCodename(operator);
    const place = 1 + expected.filter((other) => other.yield_ > known).length;
    return yield_ !== known || rank !== place || codename !== name;
  });
  const total = still.sorted.length + ranked.length;
  if (wrong < 0 && total_operators === total) return;
  const what = wrong < 0 ? `${total_operators} operators, not ${total}` : JSON.stringify(entries[wrong]);
  throw new Error(`a leaderboard of version ${board_version}, window ${window}, is not that board: ${what}`);
}

function checkProfile({ operator, version, methodology, windows }: ProfileSeen, model: Model): void {
  const facts = factsFor(model, version, methodology);
  for (const [window, { yield_, rank }] of windows.entries()) {
    const still = model.field(methodology)[window]!;
    const isLive = operator >= model.live.first;
    const known = still.yields[operator] ?? Number.NaN;
    // A live operator's own Yield may be newer than the board, on which it is ranked among the others.
    const own = isLive ? (yield_ ?? Number.NaN) : known;
    const others = liveYields(facts, window).filter(
      (other, index) => other > own && model.live.first + index !== operator,
    );
    const expected = Number.isNaN(own) ? null : 1 + countGreater(still.sorted, own) + others.length;
    const same =
      rank === expected && (isLive || (yield_ ?? Number.NaN) === own || (yield_ === null && Number.isNaN(own)));
    if (same) continue;
    const seen = JSON.stringify({ operator, window, yield_, rank });
    throw new Error(`a profile of version ${version} is not of that board: ${seen}, not ${expected} for ${own}`);
  }
}
