import { LeaderboardResponse, type LeaderboardResponseBody, type Window } from '../../../engine/contract/index.ts';
import type { BoardOverview, BoardReader } from '../../../engine/ranking/index.ts';
import { JSON_TYPE, type Representation, represent } from '../../http/representation.ts';

/** The leaderboard's answers as finished bytes, one for each window and limit of the newest board. */
export type ReadyResponses = ReturnType<typeof createReadyResponses>;

/** A window of one board: its parts checked by the schema and written as JSON once, its answers put together from them. */
interface WindowAnswers {
  readonly head: string;
  readonly entries: readonly string[];
  readonly byCount: Map<number, Representation>;
}

type BoardAnswers = { readonly version: number; readonly windows: Map<Window, WindowAnswers> };

/** Follows a board reader and keeps the answers of its newest version. */
export function createReadyResponses(board: Pick<BoardReader, 'view' | 'onView'>) {
  let view = board.view();
  let current = emptyAnswers(view);
  const unsubscribe = board.onView((newer) => {
    view = newer;
    current = emptyAnswers(newer);
  });
  return {
    /** The board version that the next answer is of. */
    version: () => current.version,
    /** The answer for a window and a limit from 1 to 100; made on first use, and then the same until the board changes. */
    answer(window: Window, limit: number): Representation {
      const answers = prepared(current, window, view);
      // Limits beyond what the board holds have the same answer, and so the same bytes.
      const count = Math.min(limit, answers.entries.length);
      const known = answers.byCount.get(count);
      if (known !== undefined) return known;
      const made = represent(`${answers.head}${answers.entries.slice(0, count).join(',')}]}`, JSON_TYPE, true);
      answers.byCount.set(count, made);
      return made;
    },
    close: unsubscribe,
  };
}

function emptyAnswers(view: BoardOverview): BoardAnswers {
  return { version: view.version, windows: new Map() };
}

function prepared(answers: BoardAnswers, window: Window, view: BoardOverview): WindowAnswers {
  const known = answers.windows.get(window);
  if (known !== undefined) return known;
  const { entries = [], ...head } = checkedResponse(view, window);
  const made: WindowAnswers = {
    head: `${JSON.stringify(head).slice(0, -1)},"entries":[`,
    entries: entries.map((entry) => JSON.stringify(entry)),
    byCount: new Map(),
  };
  answers.windows.set(window, made);
  return made;
}

/** The whole answer for a window, parsed by the contract's schema: every shorter one is a part of it. */
function checkedResponse(view: BoardOverview, window: Window): LeaderboardResponseBody {
  return LeaderboardResponse.parse({
    generated_at: new Date(view.generatedAt).toISOString(),
    board_version: view.version,
    methodology: view.methodology,
    total_operators: view.totals[window],
    entries: view.topEntries[window],
  });
}
