import * as z from 'zod';
import { HistoryQuery, OperatorHistory, OperatorProfile, ProfileQuery } from '../../engine/contract/index.ts';
import type {
  KeptProfile,
  Profile,
  RankChange,
  OperatorHistory as RankingHistory,
} from '../../engine/ranking/index.ts';
import { defineRoute } from '../context/api-context.ts';
import { fromStorage, Problem } from '../http/problem.ts';
import { representJson } from '../http/representation.ts';
import { BOARD_READ } from '../http/standard-headers.ts';
import { momentOf, notKept } from './leaderboard/get-leaderboard.ts';

/** Characters of the longest codename that is looked up; no operator has a longer one. */
export const MAX_CODENAME_LENGTH = 128;

/** How long a profile is cached, in milliseconds: its record can change (a new name) without a new board version. */
export const REPEATED_FOR_MS = 1_000;

export const BY_CODENAME = {
  schema: z.object({
    codename: z.string().min(1).max(MAX_CODENAME_LENGTH).meta({ description: 'Public codename, in any case.' }),
  }),
  unmatched: 'operator_unknown',
} as const;

/** Contract, part 4.2, with kept boards. */
export const getOperator = defineRoute({
  ...BOARD_READ,
  path: '/operators/{codename}',
  operationId: 'getOperator',
  summary: "An operator's profile",
  description: "An operator's all-time standing on the newest board or a kept one, and its standing in every window.",
  tag: 'operators',
  params: BY_CODENAME,
  query: ProfileQuery,
  successes: [{ status: 200, description: 'The profile.', schema: OperatorProfile }],
  problems: ['operator_unknown', 'board_not_kept'],
  fastPath: { forMs: REPEATED_FOR_MS },
  handle: async ({ params: { codename }, query }, { ctx }) => {
    const board = ctx.board.view().version;
    const at = momentOf(ctx, query.at);
    const profile = await fromStorage(
      (): Promise<Profile | KeptProfile | null | undefined> =>
        at === null ? ctx.board.profile(codename) : ctx.board.keptProfile(codename, at),
    );
    if (profile === null) throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
    if (profile === undefined) throw notKept(ctx);
    const asked = { ...profile, at: 'boardAt' in profile ? wireTime(profile.boardAt) : null };
    return { kind: 'ready', status: 200, board, body: representJson(OperatorProfile.parse(asked), false) };
  },
});

/** An addition to the contract, with the data of the profile page's charts. */
export const getOperatorHistory = defineRoute({
  ...BOARD_READ,
  path: '/operators/{codename}/history',
  operationId: 'getOperatorHistory',
  summary: "An operator's Yield and rank over time",
  description:
    'A point for every kept board: each hour of the last day, one a day for 100 days, and the current one; with the changes of the methodology and the reasons for changes in rank.',
  tag: 'operators',
  params: BY_CODENAME,
  query: HistoryQuery,
  successes: [{ status: 200, description: 'The history.', schema: OperatorHistory }],
  problems: ['operator_unknown', 'window_invalid', 'validation_failed'],
  handle: async ({ params, query: { window, since: from } }, { ctx }) => {
    const at = from === undefined ? undefined : Date.parse(from);
    const history = await fromStorage(() => ctx.board.history(params.codename, window, at));
    if (history === null) throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
    const shown = { ...withTimes(history), page: `${ctx.config.siteUrl}/operators/${history.codename}` };
    return { kind: 'ready', status: 200, body: representJson(OperatorHistory.parse(shown), true) };
  },
});

/** The history with times as ISO 8601. */
function withTimes(history: RankingHistory) {
  return {
    ...history,
    points: history.points.map(timed),
    switches: history.switches.map(timed),
    changes: Object.fromEntries(Object.entries(history.changes).map(([from, change]) => [from, since(change)])),
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
