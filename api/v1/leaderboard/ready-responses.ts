import {
  LeaderboardResponse,
  type LeaderboardResponseBody,
  MAX_LEADERBOARD_LIMIT,
  type Window,
} from '../../../engine/contract/index.ts';
import type { BoardOverview, BoardReader, Clock } from '../../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import { JSON_TYPE, type Representation, represent } from '../../http/representation.ts';

/** The leaderboard's answers as finished bytes, one for each window and limit of the newest board. */
export type ReadyResponses = ReturnType<typeof createReadyResponses>;

/** Age from which answers are generated again, in milliseconds; with the fast path's 20 s, none is older than a minute. */
const RENEW_AFTER_MS = 30_000;

/** A window of one board: its parts checked by the schema and written as JSON once, its answers, by limit, put together from them. `head` lacks its brace. */
interface WindowAnswers {
  readonly head: string;
  readonly entries: readonly string[];
  readonly byLimit: Map<number, Representation>;
  /** What the held rows add to an answer; undefined until they are asked for. */
  held?: Promise<string>;
}

/** The answers of a board, as of one moment. */
interface BoardAnswers {
  readonly view: BoardOverview;
  readonly generatedAt: number;
  /** Undefined while the operators could not be counted. */
  readonly listed: number | undefined;
  readonly windows: Map<Window, WindowAnswers>;
}

export interface ReadySources {
  readonly board: Pick<BoardReader, 'view' | 'onView' | 'held'>;
  /** Counts the listed operators; asked at most every `RENEW_AFTER_MS`, outside of requests. */
  readonly countListed: () => Promise<number>;
  readonly clock: Clock;
}

/** Follows a board reader and keeps the answers of its newest version. */
export function createReadyResponses({ board, countListed, clock }: ReadySources) {
  let listed: number | undefined;
  let countedAt = Number.NEGATIVE_INFINITY;
  const count = async (): Promise<void> => {
    countedAt = clock();
    try {
      listed = await countListed();
    } catch {
      // A former count is better than none.
    }
  };
  const countFirst = async (): Promise<void> => {
    await count();
    current = renewed(current.view);
  };
  const firstCount = countFirst();
  let current = renewed(board.view());
  const unsubscribe = board.onView((newer) => {
    current = renewed(newer);
  });

  function renewed(view: BoardOverview): BoardAnswers {
    if (isOld(countedAt)) void count();
    return { view, generatedAt: clock(), listed, windows: new Map() };
  }

  /** A clock that was set back makes everything old. */
  function isOld(since: number): boolean {
    const age = clock() - since;
    return age < 0 || age >= RENEW_AFTER_MS;
  }

  /** What the held rows of a window add to an answer; read once, and again after a failure. */
  function heldOf(answers: WindowAnswers, window: Window): Promise<string> {
    answers.held ??= board.held(window, MAX_LEADERBOARD_LIMIT).then(({ total, rows }) => {
      const { held_operators, held } = LeaderboardResponse.parse({ held_operators: total, held: rows });
      return `,"held_operators":${held_operators},"held":${JSON.stringify(held)}`;
    });
    answers.held.catch(() => delete answers.held);
    return answers.held;
  }

  return {
    /** The board version that the next answer is of. */
    version: () => current.view.version,
    /**
     * The answer for a window and a limit from 1 to 100, with the held rows or without: the same until the board changes or half a minute
     * has passed. @throws when the held rows cannot be read.
     */
    async answer(window: Window, limit: number, withHeld = false): Promise<Representation> {
      await firstCount;
      if (isOld(current.generatedAt)) current = renewed(current.view);
      const answers = prepared(current, window);
      const held = withHeld ? await heldOf(answers, window) : null;
      const key = held === null ? limit : -limit;
      const known = answers.byLimit.get(key);
      if (known !== undefined) return known;
      const shown = answers.entries.slice(0, limit).join(',');
      const body = `${answers.head},"limit":${limit},"entries":[${shown}]${held ?? ''}}`;
      const made = represent(body, JSON_TYPE, true);
      answers.byLimit.set(key, made);
      return made;
    },
    close: unsubscribe,
  };
}

function prepared(board: BoardAnswers, window: Window): WindowAnswers {
  const known = board.windows.get(window);
  if (known !== undefined) return known;
  const { entries = [], ...head } = checkedResponse(board, window);
  const made: WindowAnswers = {
    head: JSON.stringify(head).slice(0, -1),
    entries: entries.map((entry) => JSON.stringify(entry)),
    byLimit: new Map(),
  };
  board.windows.set(window, made);
  return made;
}

/** The whole answer for a window, parsed by the contract's schema: every shorter one is a part of it. */
function checkedResponse({ view, generatedAt, listed }: BoardAnswers, window: Window): LeaderboardResponseBody {
  return LeaderboardResponse.parse({
    generated_at: new Date(generatedAt).toISOString(),
    board_at: new Date(view.generatedAt).toISOString(),
    board_version: view.version,
    methodology: view.methodology,
    total_operators: view.totals[window],
    // The count can be older than the board, and everybody who is ranked is listed.
    listed_operators: listed === undefined ? undefined : Math.max(listed, ...Object.values(view.totals)),
    ...view.movementSince,
    floors: floorsOf(view),
    window,
    offset: 0,
    platform: null,
    at: null,
    entries: view.topEntries[window],
  });
}

function floorsOf(view: BoardOverview): LeaderboardResponseBody['floors'] {
  const found = METHODOLOGIES.get(view.methodology);
  return found && { ...found.eligibility, minimum_witnessed_days: found.minimum_witnessed_days };
}
