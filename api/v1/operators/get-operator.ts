import * as z from 'zod';
import { OperatorProfile } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../context/api-context.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { represent } from '../../http/representation.ts';
import { RANKING_CACHE } from '../../http/standard-headers.ts';

/** Characters of the longest codename that is looked up; no operator has a longer one. */
export const MAX_CODENAME_LENGTH = 128;

/**
 * How long a profile is cached, in milliseconds. A profile shows the operator's current record, which can change without a
 * new board version (a new name, another platform): this is the maximum delay of such a change.
 */
export const REPEATED_FOR_MS = 1_000;

/** Contract, part 4.2. The query is ignored: the contract lists no 400 here. */
export const getOperator = defineRoute({
  method: 'get',
  surface: 'base',
  path: '/operators/{codename}',
  operationId: 'getOperator',
  summary: "An operator's profile",
  description: "An operator's all-time standing on the current board, and its standing in every window.",
  tag: 'operators',
  auth: 'public',
  params: {
    schema: z.object({
      codename: z.string().min(1).max(MAX_CODENAME_LENGTH).meta({ description: 'Public codename, in any case.' }),
    }),
    unmatched: 'operator_unknown',
  },
  successes: [{ status: 200, description: 'The profile.', schema: OperatorProfile }],
  problems: ['operator_unknown'],
  limit: 'public',
  cache: RANKING_CACHE,
  fastPath: { forMs: REPEATED_FOR_MS },
  documented: true,
  handle: async ({ params }, { ctx }) => {
    const board = ctx.board.view().version;
    const profile = await fromStorage(() => ctx.board.profile(params.codename));
    if (profile === null) throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
    const body = JSON.stringify(OperatorProfile.parse(profile));
    return { kind: 'ready', status: 200, board, body: represent(body, 'application/json; charset=utf-8', false) };
  },
});
