import { WINDOWS } from '../../contract/windows.ts';
import type { BoardReader } from '../board-view.ts';
import { scoreOf } from '../core/score.ts';
import { methodologyOf } from '../methodology-of.ts';

import { positionOf } from './board-position.ts';
import { rankOfYield } from './board-ranks.ts';
import { type SliceParts, sliceOf } from './board-slice.ts';
import type { BoardState } from './board-state.ts';
import type { Histories } from './history.ts';
import { HOURS_7D, HOURS_24H } from './movement.ts';
import { boardView } from './open-board-view.ts';
import { profileOn } from './profile.ts';
import type { RankChanges } from './rank-change.ts';

/** Runs a query on one board version, and again on a newer one when parts of the first are gone. */
type RunQuery = <T>(query: (state: BoardState) => Promise<T>) => Promise<T>;

interface QueryParts extends SliceParts {
  readonly histories: Histories;
  readonly rankChanges: RankChanges;
}

type BoardQueries = Pick<BoardReader, 'profile' | 'rankOfTotals' | 'slice' | 'neighbours' | 'history' | 'ask'>;

/** The queries of a board reader that read more than its overview. */
export function boardQueries(parts: QueryParts, runQuery: RunQuery): BoardQueries {
  const { context, pages, movements, histories, rankChanges } = parts;
  const find = async (codename: string) => {
    const summary = await context.stores.operators.byCodename(codename);
    return summary?.listed === true ? summary : null;
  };
  return {
    profile: (codename) =>
      runQuery(async (state) => {
        const summary = await find(codename);
        return summary && profileOn(pages, movements, state, methodologyOf(context, state.manifest), summary);
      }),
    rankOfTotals: (operator, totals) =>
      runQuery(async (state) => {
        const score = scoreOf(totals, methodologyOf(context, state.manifest));
        return score === null ? null : rankOfYield(pages, state, operator, 0, score.yield_);
      }),
    ask: (question) => runQuery((state) => question(boardView(parts, state))),
    slice: (window, offset, limit) => runQuery((state) => sliceOf(parts, state, window, offset, limit)),
    neighbours: (codename, window, around) =>
      runQuery(async (state) => {
        const summary = await find(codename);
        const position = summary && (await positionOf(pages, state, summary.operator, WINDOWS.indexOf(window)));
        if (position === null) return [];
        const offset = Math.max(0, position - around);
        return sliceOf(parts, state, window, offset, position + around + 1 - offset);
      }),
    history: (codename, window) =>
      runQuery(async (state) => {
        const summary = await find(codename);
        if (summary === null) return null;
        const { operator } = summary;
        const windowIndex = WINDOWS.indexOf(window);
        const points = await histories.of(state, operator, window);
        const switches = await rankChanges.switches(state, operator, windowIndex);
        const changes = {
          '24h': await rankChanges.since(state, operator, windowIndex, HOURS_24H),
          '7d': await rankChanges.since(state, operator, windowIndex, HOURS_7D),
        };
        return { codename: summary.codename, window, board_version: state.manifest.version, points, switches, changes };
      }),
  };
}
