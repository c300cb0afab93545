import { LIMITS } from '../../../config/limits.ts';
import type { SubmissionResultBody } from '../../../engine/contract/index.ts';
import { type LogEntry, ownerRefusal } from '../../../engine/ranking/index.ts';
import { priceText } from '../../billing/price-text.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import type { Caller } from '../../http/route.ts';
import type { ApiPorts } from '../../ports.ts';
import type { ApiSettings } from '../../settings.ts';
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

export interface SnapshotIntakeOptions {
  readonly ports: Pick<
    ApiPorts,
    'accounts' | 'board' | 'log' | 'queue' | 'clock' | 'entitled' | 'onTaken' | 'metrics' | 'logger'
  >;
  readonly settings: Pick<ApiSettings, 'baseUrl' | 'siteUrl' | 'loginUrl' | 'jwksUrl' | 'enforcePlan' | 'billing'>;
  /** Milliseconds to wait for a verdict without a preference. */
  readonly verdictWaitMs: number;
}

export function createSnapshotIntake(options: SnapshotIntakeOptions): SnapshotIntake {
  const { ports, settings } = options;
  const { baseUrl } = settings;
  const writer = createBatchWriter({
    append: (entries) => ports.log.append(entries),
    enqueue: (batch, entries) => ports.queue.enqueue(batch, entries),
    linger: createLinger((batch, signal) => ports.queue.waitForBatch(batch, signal)),
    maxBatch: LIMITS.ingest.snapshotsPerBatch,
    maxWaiting: LIMITS.ingest.backlogEntries,
    metrics: ports.metrics.ingest,
    onEnqueueError: (batch, error) => ports.logger.warn({ err: error, batch }, 'a logged batch could not be queued'),
  });
  const waits = createVerdictWaits(
    (batch, signal) => ports.queue.waitForBatch(batch, signal),
    (error) => ports.logger.warn({ err: error }, 'waiting for a verdict failed'),
  );
  const results = createResults({ ports, baseUrl, waits });
  const bounds = {
    defaultMs: options.verdictWaitMs,
    maxMs: Math.max(options.verdictWaitMs, LIMITS.http.preferWaitMs),
  };

  return {
    async submit(caller, snapshot, prefer) {
      await requirePlan(caller, options);
      if (ports.queue.depth() > MAX_WAITING_BATCHES) throw backlogFull('Too many snapshots are waiting for a verdict.');
      const { waitMs, applied } = readWaitPreference(prefer, bounds);
      const refused = await refuseKey(caller, snapshot, ports);
      if (refused !== null) return { result: refused, preferenceApplied: applied };
      const entry = toEntry(caller, snapshot, ports.clock());
      ports.onTaken?.(entry);
      const outcome = await writer.submit(entry);
      if (outcome.kind === 'conflict') {
        throw new Problem('jti_conflict', {
          detail: 'A snapshot with this jti and different content is already logged.',
        });
      }
      const { operator } = caller;
      ports.logger.debug({ operator, jti: snapshot.jti, batch: outcome.batch }, 'a snapshot was logged');
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
  { accounts, board, metrics }: SnapshotIntakeOptions['ports'],
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

async function requirePlan(
  caller: Caller,
  { ports, settings }: Pick<SnapshotIntakeOptions, 'ports' | 'settings'>,
): Promise<void> {
  const { baseUrl, siteUrl, loginUrl, jwksUrl, billing } = settings;
  if (!settings.enforcePlan || (await fromStorage(() => ports.entitled(caller)))) return;
  // With an external identity provider this service has no account pages.
  const where = jwksUrl === undefined ? ` Subscribe at ${loginUrl}/account/plan` : '';
  throw new Problem('plan_required', {
    detail: `Submitting snapshots requires a paid plan: ${priceText(billing.prices, 'monthly')}.${where}`,
    links: { subscribe: `${baseUrl}/billing/subscribe`, developers: `${siteUrl}/developers` },
    headers: { Link: `<${baseUrl}/billing/subscribe>; rel="payment"` },
  });
}

function toEntry(caller: Caller, { jti, payload, signature }: OfferedSnapshot, receivedAt: number): LogEntry {
  return { operator: caller.operator, jti, receivedAt, payload, signature };
}
