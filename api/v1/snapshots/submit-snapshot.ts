import type * as z from 'zod';
import {
  codenameKey,
  type SignedPayload,
  SnapshotSubmission,
  SubmissionResult,
} from '../../../engine/contract/index.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { type Caller, NO_QUERY, routesFor } from '../../http/route.ts';
import type { SnapshotContext } from './snapshot-intake.ts';

/** Contract, part 4.3. */
export const submitSnapshot = routesFor<SnapshotContext>()({
  method: 'post',
  surface: 'base',
  path: '/snapshots',
  operationId: 'submitSnapshot',
  summary: 'Submit a signed snapshot',
  description:
    'Logs cumulative token counts that the official command-line tool signed, waits briefly for the verdict, and returns the new rank. ' +
    'Prefer: wait=N or respond-async (RFC 7240) sets how long to wait. The same snapshot may be sent again.',
  tag: 'snapshots',
  auth: 'operator',
  query: NO_QUERY,
  body: { schema: SnapshotSubmission, required: true },
  successes: [
    {
      status: 200,
      description:
        'The snapshot is logged: accepted, refused with a reason, or pending. A snapshot under a key that is not enrolled ' +
        'for you is refused and not logged, so its jti can be used again.',
      schema: SubmissionResult,
      headers: { 'Preference-Applied': 'The wait preference that was applied.' },
    },
  ],
  problems: [
    'count_not_a_number',
    'count_not_finite',
    'count_negative',
    'count_too_large',
    'codename_invalid',
    'platform_invalid',
    'signature_malformed',
    'signature_header_invalid',
    'codename_mismatch',
    'jti_conflict',
    'plan_required',
    'backlog_full',
  ],
  limit: 'snapshots',
  longLimit: 'snapshotsDay',
  cache: null,
  payment: {
    method: 'card',
    intent: 'charge',
    amount: '5.00',
    currency: 'USD',
    description: 'Monthly paid-plan subscription for snapshot submission.',
  },
  documented: true,
  handle: async ({ body }, { ctx, caller, header }) => {
    const codename = await presentCodename(ctx, caller, body.codename);
    if (codenameKey(body.codename) !== codenameKey(codename)) {
      throw new Problem('codename_mismatch', {
        detail: `The access token belongs to ${codename}.`,
        errors: [{ pointer: '/codename', code: 'codename_mismatch', detail: 'Not the codename of the access token.' }],
      });
    }
    const { compact, jti, kid } = body.signature;
    const offered = { codename, jti, kid, payload: payloadOf(body), signature: compact };
    const { result, preferenceApplied } = await ctx.intake.submit(caller, offered, header('prefer'));
    const headers = preferenceApplied === null ? {} : { 'Preference-Applied': preferenceApplied };
    return { kind: 'json', status: 200, body: result, headers };
  },
});

/** The caller's codename. The access token check may use a cached name; a mismatch is looked up again. */
async function presentCodename({ members }: SnapshotContext, caller: Caller, given: string): Promise<string> {
  if (codenameKey(given) === codenameKey(caller.codename)) return caller.codename;
  const record = await fromStorage(() => members.byNumber(caller.operator));
  return record?.codename ?? caller.codename;
}

/** The signed members as received. Adding 0 turns -0, which JSON allows and RFC 8785 does not, into 0. */
function payloadOf(body: z.output<typeof SnapshotSubmission>): SignedPayload {
  const { codename, input, output, cache_read, cache_write, platform } = body;
  const counts = { input: input + 0, output: output + 0, cache_read: cache_read + 0, cache_write: cache_write + 0 };
  return platform === undefined ? { codename, ...counts } : { codename, ...counts, platform };
}
