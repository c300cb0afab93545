import { LeaderboardResponse, type LeaderboardResponseBody, type Window } from '../../../engine/contract/index.ts';
import type { BoardOverview, BoardReader, Clock } from '../../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import { JSON_TYPE, type Representation, represent } from '../../http/representation.ts';

/** The leaderboard's answers as finished bytes, one for each window and limit of the newest board. */
export type ReadyResponses = ReturnType<typeof createReadyResponses>;

/** Age from which answers are generated again, in milliseconds; with the fast path's 20 s, none is older than a minute. */
const RENEW_AFTER_MS = 30_000;

/** A window of one board: its parts checked by the schema and written as JSON once, its answers put together from them. */
interface WindowAnswers {
  readonly head: string;
  readonly entries: readonly string[];
  readonly byCount: Map<number, Representation>;
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
  readonly board: Pick<BoardReader, 'view' | 'onView'>;
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

  return {
    /** The board version that the next answer is of. */
    version: () => current.view.version,
    /** The answer for a window and a limit from 1 to 100: the same until the board changes or half a minute has passed. */
    async answer(window: Window, limit: number): Promise<Representation> {
      await firstCount;
      if (isOld(current.generatedAt)) current = renewed(current.view);
      const answers = prepared(current, window);
      // Limits beyond what the board holds have the same answer, and so the same bytes.
      const entries = Math.min(limit, answers.entries.length);
      const known = answers.byCount.get(entries);
      if (known !== undefined) return known;
      const made = represent(`${answers.head}${answers.entries.slice(0, entries).join(',')}]}`, JSON_TYPE, true);
      answers.byCount.set(entries, made);
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
    head: `${JSON.stringify(head).slice(0, -1)},"entries":[`,
    entries: entries.map((entry) => JSON.stringify(entry)),
    byCount: new Map(),
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
    entries: view.topEntries[window],
  });
}

function floorsOf(view: BoardOverview): LeaderboardResponseBody['floors'] {
  const found = METHODOLOGIES.get(view.methodology);
  return found && { ...found.eligibility, minimum_active_days: found.minimum_active_days };
}
