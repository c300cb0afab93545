import type * as z from 'zod';
import { LIMITS } from '../../../config/limits.ts';
import {
  codenameKey,
  type SignedPayload,
  SnapshotSubmission,
  SubmissionResult,
  type SubmissionResultBody,
} from '../../../engine/contract/index.ts';
import { type LogEntry, ownerRefusal } from '../../../engine/ranking/index.ts';
import { planPayment, priceText } from '../../billing/price-text.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { type Caller, NO_QUERY, routesFor } from '../../http/route.ts';
import { backlogFull } from './batch-writer.ts';
import {
  awaitRepeatedResult,
  finalResult,
  resultOf,
  type SnapshotContext,
  type SnapshotIdentity,
} from './snapshot-result.ts';

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
  automation: true,
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
    'count_fractional',
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
  alsoLimit: 'snapshotsDay',
  payment: ({ billing, enforcePlan }) => (enforcePlan ? planPayment(billing.prices) : null),
  // A caller without a plan learns of it before the tool has anything to sign.
  before: ({ ctx, caller }) => requirePlan(ctx, caller),
  handle: async ({ body }, { ctx, caller, header }) => {
    const { compact: signature, jti, kid } = body.signature;
    const { operator, hidden } = caller;
    const isCurrent = codenameKey(body.codename) === codenameKey(caller.codename);
    const codename = isCurrent ? caller.codename : await readCodename(ctx, caller, body.codename);
    const snapshot = { operator, codename, hidden, jti };
    if (ctx.queue.waitingEntries() > LIMITS.ingest.backlogEntries) {
      throw backlogFull('Too many snapshots are waiting for a verdict.');
    }
    const { waitMs, applied } = readWaitPreference(header('prefer'), ctx.config.verdictWaitMs);
    const respond = (result: SubmissionResultBody) => {
      const headers = applied === null ? {} : { 'Preference-Applied': applied };
      return { kind: 'json', status: 200, body: result, headers } as const;
    };
    const refused = await refuseKey(ctx, snapshot, kid);
    if (refused !== null) return respond(refused);
    const entry: LogEntry = { operator, jti, receivedAt: ctx.clock(), payload: payloadOf(body), signature };
    ctx.onTaken?.(entry);
    const outcome = await ctx.batches.append(entry);
    if (outcome.kind === 'conflict') {
      throw new Problem('jti_conflict', {
        detail: 'A snapshot with this jti and different content is already logged.',
      });
    }
    ctx.log.debug({ operator, jti, batch: outcome.batch }, 'a snapshot was logged');
    if (outcome.kind === 'repeated') return respond(await awaitRepeatedResult(ctx, snapshot, outcome.batch, waitMs));
    return respond(await resultOf(ctx, snapshot, await ctx.verdicts.wait(outcome.batch, operator, jti, waitMs)));
  },
});

/** Reads the caller's codename: the check of the access token may use a cached one. @throws Problem codename_mismatch. */
async function readCodename({ members }: ApiContext, caller: Caller, given: string): Promise<string> {
  const record = await fromStorage(() => members.byNumber(caller.operator));
  const codename = record?.codename ?? caller.codename;
  if (codenameKey(given) === codenameKey(codename)) return codename;
  throw new Problem('codename_mismatch', {
    detail: `The access token belongs to ${codename}.`,
    errors: [{ pointer: '/codename', code: 'codename_mismatch', detail: 'Not the codename of the access token.' }],
  });
}

/** @throws Problem plan_required, where the installation requires a plan and the caller has none. */
async function requirePlan({ config, billing }: ApiContext, caller: Caller): Promise<void> {
  const { baseUrl, siteUrl, loginUrl, enforcePlan } = config;
  if (!enforcePlan || (await fromStorage(() => billing.entitled(caller)))) return;
  throw new Problem('plan_required', {
    detail: `Submitting snapshots requires a paid plan: ${priceText(config.billing.prices, 'monthly')}. Subscribe at ${loginUrl}/account/plan`,
    links: { subscribe: `${baseUrl}/billing/subscribe`, developers: `${siteUrl}/developers` },
    headers: { Link: `<${baseUrl}/billing/subscribe>; rel="payment"` },
  });
}

/** Refuses a snapshot under a key that is not the caller's, without logging it; null when the key is the caller's. */
async function refuseKey(
  ctx: ApiContext,
  snapshot: SnapshotIdentity,
  kid: string,
): Promise<SubmissionResultBody | null> {
  const { operator, jti } = snapshot;
  const refusal = ownerRefusal(operator, await fromStorage(() => ctx.accounts.findKeyOwner(kid, operator)));
  if (refusal === null) return null;
  ctx.metrics.ingest.processed(refusal.reason, 1);
  return finalResult(ctx, snapshot, { verdict: { operator, jti, accepted: false, ...refusal }, totals: null });
}

/** The signed members as received. Adding 0 turns -0, which JSON allows and RFC 8785 does not, into 0. */
function payloadOf(body: z.output<typeof SnapshotSubmission>): SignedPayload {
  const { codename, input, output, cache_read, cache_write, platform } = body;
  const counts = { input: input + 0, output: output + 0, cache_read: cache_read + 0, cache_write: cache_write + 0 };
  return platform === undefined ? { codename, ...counts } : { codename, ...counts, platform };
}

/**
 * Parses a Prefer header (RFC 7240): `wait=N` in seconds, of which at most `maxMs` are waited, or `respond-async`, which alone
 * means no wait. Others are ignored; of a repeated one the first applies. `applied` is null when none was honoured.
 */
export function readWaitPreference(
  prefer: string | undefined,
  defaultMs: number,
  maxMs: number = Math.max(defaultMs, LIMITS.http.preferWaitMs),
) {
  if (prefer === undefined) return { waitMs: defaultMs, applied: null };
  let waitSeconds: number | null = null;
  let async = false;
  for (const part of prefer.split(',')) {
    const [preference = ''] = part.split(';', 1);
    const [name = '', value = ''] = preference.split('=', 2).map((piece) => piece.trim());
    if (name.toLowerCase() === 'respond-async') async = true;
    const digits = /^"?(\d{1,9})"?$/.exec(value)?.[1];
    if (name.toLowerCase() === 'wait' && digits !== undefined) waitSeconds ??= Number(digits);
  }
  if (waitSeconds === null) {
    return async ? { waitMs: 0, applied: 'respond-async' } : { waitMs: defaultMs, applied: null };
  }
  const waitMs = Math.min(waitSeconds * 1000, maxMs);
  const applied = `wait=${Math.ceil(waitMs / 1000)}`;
  return { waitMs, applied: async ? `respond-async, ${applied}` : applied };
}
