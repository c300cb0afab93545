import * as z from 'zod';
import { HistoryQuery, OperatorHistory } from '../../../engine/contract/index.ts';
import type { RankChange, OperatorHistory as RankingHistory } from '../../../engine/ranking/index.ts';
import { defineRoute } from '../../context/api-context.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { represent } from '../../http/representation.ts';
import { RANKING_CACHE } from '../../http/standard-headers.ts';
import { MAX_CODENAME_LENGTH } from './get-operator.ts';

/** An addition to the contract, with the data of the profile page's charts. */
export const getOperatorHistory = defineRoute({
  method: 'get',
  surface: 'base',
  path: '/operators/{codename}/history',
  operationId: 'getOperatorHistory',
  summary: "An operator's Yield and rank over time",
  description:
    'A point for every kept board: each hour of the last day, one a day for 100 days, and the current one; with the changes of the methodology and the reasons for changes in rank.',
  tag: 'operators',
  auth: 'public',
  params: {
    schema: z.object({
      codename: z.string().min(1).max(MAX_CODENAME_LENGTH).meta({ description: 'Public codename, in any case.' }),
    }),
    unmatched: 'operator_unknown',
  },
  query: HistoryQuery,
  successes: [{ status: 200, description: 'The history.', schema: OperatorHistory }],
  problems: ['operator_unknown', 'window_invalid'],
  limit: 'public',
  cache: RANKING_CACHE,
  documented: true,
  handle: async ({ params, query }, { ctx }) => {
    const history = await fromStorage(() => ctx.board.history(params.codename, query.window));
    if (history === null) throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
    const body = JSON.stringify(OperatorHistory.parse(withTimes(history)));
    return { kind: 'ready', status: 200, body: represent(body, 'application/json; charset=utf-8', true) };
  },
});

/** The history with times as ISO 8601. */
function withTimes(history: RankingHistory) {
  return {
    ...history,
    points: history.points.map(timed),
    switches: history.switches.map(timed),
    changes: { '24h': since(history.changes['24h']), '7d': since(history.changes['7d']) },
  };
}

function timed<T extends { readonly at: number }>(one: T) {
  return { ...one, at: wireTime(one.at) };
}

function since(change: RankChange | null) {
  return change && { ...change, since: wireTime(change.since) };
}

function wireTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
