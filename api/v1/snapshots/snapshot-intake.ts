import { LIMITS } from '../../../config/limits.ts';
import type { SubmissionResultBody } from '../../../engine/contract/index.ts';
import { type LogEntry, ownerRefusal } from '../../../engine/ranking/index.ts';
import { priceText } from '../../billing/price-text.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import type { Caller } from '../../http/route.ts';
import { backlogFull, createBatchWriter } from './batch-writer.ts';
import { createLinger } from './linger.ts';
import { readWaitPreference } from './prefer.ts';
import { createResults } from './results.ts';
import { finalResult, type SnapshotIdentity } from './submission-result.ts';
import { createVerdictWaits } from './verdict-waits.ts';

/** Batches that may wait for a worker before submissions are refused. */
const MAX_WAITING_BATCHES = Math.ceil(LIMITS.ingest.backlogEntries / LIMITS.ingest.snapshotsPerBatch);

/** A submitted snapshot whose request has been validated. */
export interface OfferedSnapshot extends SnapshotIdentity {
  readonly kid: string;
  readonly payload: LogEntry['payload'];
  readonly signature: string;
}

/** A result, and the value of Preference-Applied. */
export interface SubmissionResponse {
  readonly result: SubmissionResultBody;
  readonly preferenceApplied: string | null;
}

/**
 * Snapshot intake: writes snapshots under the sender's own keys to the log, queues them for the workers and waits for the
 * verdict.
 */
export interface SnapshotIntake {
  /** @throws Problem plan_required, backlog_full, jti_conflict, storage_unavailable. */
  submit(caller: Caller, snapshot: OfferedSnapshot, prefer: string | undefined): Promise<SubmissionResponse>;
  /** The result of a logged snapshot; null when the operator logged none with this id. */
  find(caller: Caller, snapshot: SnapshotIdentity): Promise<SubmissionResultBody | null>;
  /** Responds to every waiting request with a pending result; later requests do not wait. */
  releaseWaiters(): void;
  /** Releases the waiters, refuses new snapshots, and writes and queues the accepted ones. */
  drain(): Promise<void>;
}

/** The context of the handlers of snapshots. */
export interface SnapshotContext extends ApiContext {
  readonly intake: SnapshotIntake;
}

export function createSnapshotIntake(ctx: ApiContext): SnapshotIntake {
  const { queue, log } = ctx;
  const { verdictWaitMs } = ctx.config;
  const writer = createBatchWriter({
    append: ctx.ranking.log.append,
    enqueue: (batch, entries) => queue.enqueue(batch, entries),
    linger: createLinger((batch, signal) => queue.waitForBatch(batch, signal)),
    maxBatch: LIMITS.ingest.snapshotsPerBatch,
    maxWaiting: LIMITS.ingest.backlogEntries,
    metrics: ctx.metrics.ingest,
    onEnqueueError: (batch, error) => log.warn({ err: error, batch }, 'a logged batch could not be queued'),
  });
  const waits = createVerdictWaits(
    (batch, signal) => queue.waitForBatch(batch, signal),
    (error) => log.warn({ err: error }, 'waiting for a verdict failed'),
  );
  const results = createResults(ctx, waits);
  const bounds = { defaultMs: verdictWaitMs, maxMs: Math.max(verdictWaitMs, LIMITS.http.preferWaitMs) };

  return {
    async submit(caller, snapshot, prefer) {
      await requirePlan(caller, ctx);
      if (queue.depth() > MAX_WAITING_BATCHES) throw backlogFull('Too many snapshots are waiting for a verdict.');
      const { waitMs, applied } = readWaitPreference(prefer, bounds);
      const refused = await refuseKey(caller, snapshot, ctx);
      if (refused !== null) return { result: refused, preferenceApplied: applied };
      const entry = toEntry(caller, snapshot, ctx.clock());
      ctx.onTaken?.(entry);
      const outcome = await writer.submit(entry);
      if (outcome.kind === 'conflict') {
        throw new Problem('jti_conflict', {
          detail: 'A snapshot with this jti and different content is already logged.',
        });
      }
      const { operator } = caller;
      log.debug({ operator, jti: snapshot.jti, batch: outcome.batch }, 'a snapshot was logged');
      const find = outcome.kind === 'repeated' ? results.ofRepeated : results.ofStored;
      return { result: await find(caller, snapshot, outcome.batch, waitMs), preferenceApplied: applied };
    },
    find: results.find,
    releaseWaiters: () => waits.close(),
    async drain() {
      waits.close();
      await writer.drain();
    },
  };
}

/** Refuses a snapshot under a key that is not the caller's, without logging it; null when the key is the caller's. */
async function refuseKey(
  { operator }: Caller,
  { codename, jti, kid }: OfferedSnapshot,
  { accounts, board, metrics }: ApiContext,
): Promise<SubmissionResultBody | null> {
  const refusal = ownerRefusal(operator, await fromStorage(() => accounts.keyOwner(kid, operator)));
  if (refusal === null) return null;
  const { reason, detail } = refusal;
  metrics.ingest.processed(reason, 1);
  return finalResult(
    { codename, jti },
    { verdict: { operator, jti, accepted: false, reason, detail }, totals: null },
    board,
  );
}

async function requirePlan(caller: Caller, { config, billing }: ApiContext): Promise<void> {
  const { baseUrl, siteUrl, loginUrl, jwksUrl } = config;
  if (!config.enforcePlan || (await fromStorage(() => billing.entitled(caller)))) return;
  // With an external identity provider this service has no account pages.
  const where = jwksUrl === undefined ? ` Subscribe at ${loginUrl}/account/plan` : '';
  throw new Problem('plan_required', {
    detail: `Submitting snapshots requires a paid plan: ${priceText(config.billing.prices, 'monthly')}.${where}`,
    links: { subscribe: `${baseUrl}/billing/subscribe`, developers: `${siteUrl}/developers` },
    headers: { Link: `<${baseUrl}/billing/subscribe>; rel="payment"` },
  });
}

function toEntry(caller: Caller, { jti, payload, signature }: OfferedSnapshot, receivedAt: number): LogEntry {
  return { operator: caller.operator, jti, receivedAt, payload, signature };
}
