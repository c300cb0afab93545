import * as z from 'zod';
import { JTI_PATTERN, SubmissionResult } from '../../../engine/contract/index.ts';
import { Problem } from '../../http/problem.ts';
import { NO_QUERY, OWN_ROUTE, routesFor } from '../../http/route.ts';
import { findResult, type SnapshotContext } from './snapshot-result.ts';

export const getSnapshot = routesFor<SnapshotContext>()({
  ...OWN_ROUTE,
  method: 'get',
  path: '/snapshots/{jti}',
  operationId: 'getSnapshot',
  summary: 'The verdict of a snapshot',
  description: 'The verdict of one of your snapshots. The rank is the rank of its counts on the current board.',
  tag: 'snapshots',
  automation: true,
  query: NO_QUERY,
  params: {
    schema: z.object({ jti: z.string().regex(JTI_PATTERN).meta({ description: "The snapshot's id." }) }),
    unmatched: 'snapshot_unknown',
  },
  successes: [{ status: 200, description: 'The verdict, or a pending status.', schema: SubmissionResult }],
  problems: ['snapshot_unknown'],
  handle: async ({ params }, { ctx, caller }) => {
    const { operator, codename, hidden } = caller;
    const result = await findResult(ctx, { operator, codename, hidden, jti: params.jti });
    if (result === null) throw new Problem('snapshot_unknown', { detail: 'You submitted no snapshot with this jti.' });
    return { kind: 'json', status: 200, body: result };
  },
});
