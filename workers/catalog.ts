import type { z } from 'zod';
import {
  applyBillingEventSchema,
  nothingSchema,
  processBatchSchema,
  rerankRangeSchema,
  rerankSwitchSchema,
} from './payloads.ts';

/** Queues by name. Names are literals that outlive renames of code: jobs in flight carry them. */
export const QUEUE_NAMES = ['ingest', 'upkeep', 'rerank', 'billing'] as const;

export type QueueName = (typeof QUEUE_NAMES)[number];

/**
 * Everything about a job but what it does. Times are in milliseconds. A payload that older workers could not read is a job
 * with a name of its own: what a worker does not know, it leaves to newer ones.
 */
interface JobDefinition<Schema extends z.ZodType> {
  readonly queue: QueueName;
  readonly schema: Schema;
  /** Runs at most, the first included. */
  readonly attempts: number;
  /** Before the second run; doubles with each further one. */
  readonly backoffMs: number;
  /** A run that takes longer has failed; what it still writes does no harm, because every write can be repeated. */
  readonly timeoutMs: number;
  /** How long a job that failed for good is kept to be seen and repaired. */
  readonly keepFailedMs: number;
  /** How often it runs by itself; null when somebody asks for it. */
  readonly everyMs: number | null;
}

const DAY_MS = 24 * 3_600_000;

function upkeep(everyMs: number, timeoutMs: number): JobDefinition<typeof nothingSchema> {
  const retries = { attempts: 3, backoffMs: 1_000, keepFailedMs: DAY_MS };
  return { queue: 'upkeep', schema: nothingSchema, ...retries, timeoutMs, everyMs };
}

/** A job of a re-rank. When it fails for good, the run gets other jobs for what is left to do. */
function rerank<Schema extends z.ZodType>(schema: Schema, timeoutMs: number): JobDefinition<Schema> {
  return { queue: 'rerank', schema, attempts: 8, backoffMs: 500, keepFailedMs: DAY_MS, timeoutMs, everyMs: null };
}

/** What waits for a payment provider has a queue of its own: it holds up nothing else. */
function billing(everyMs: number, timeoutMs: number): JobDefinition<typeof nothingSchema> {
  return { ...upkeep(everyMs, timeoutMs), queue: 'billing' };
}

/** Every job there is. */
export const JOBS = {
  'process-batch': {
    queue: 'ingest',
    schema: processBatchSchema,
    attempts: 10,
    backoffMs: 250,
    timeoutMs: 60_000,
    keepFailedMs: 30 * DAY_MS,
    everyMs: null,
  },
  'advance-hour': upkeep(15_000, 30 * 60_000),
  'reconcile-log': upkeep(5_000, 10 * 60_000),
  'reconcile-operators': upkeep(60_000, 30 * 60_000),
  'collect-garbage': upkeep(10 * 60_000, 30 * 60_000),
  'retain-log': upkeep(10 * 60_000, 30 * 60_000),
  'maintain-accounts': upkeep(60_000, 10 * 60_000),
  'apply-billing-event': {
    queue: 'billing',
    schema: applyBillingEventSchema,
    attempts: 8,
    backoffMs: 1_000,
    timeoutMs: 5 * 60_000,
    keepFailedMs: 30 * DAY_MS,
    everyMs: null,
  },
  'maintain-billing': billing(10_000, 10 * 60_000),
  'maintain-purchases': billing(60_000, 10 * 60_000),
  'compare-billing': billing(DAY_MS, 6 * 60 * 60_000),
  'supervise-rerank': upkeep(5_000, 10 * 60_000),
  'rerank-range': rerank(rerankRangeSchema, 10 * 60_000),
  'rerank-switch': rerank(rerankSwitchSchema, 30 * 60_000),
} as const satisfies Record<string, JobDefinition<z.ZodType>>;

/**
 * Jobs of former versions: their schedules are removed, and jobs in flight end without effect. The reconciliation of the log
 * gives snapshots that still have no verdict another job.
 */
export const RETIRED_JOBS: ReadonlySet<string> = new Set([
  'fold-group',
  'turn-hour',
  'heal-operators',
  'sweep-board',
  'tend-accounts',
  'tend-billing',
  'tend-purchases',
  'tend-rerank',
]);

export type JobName = keyof typeof JOBS;

export type Payload<Name extends JobName> = z.output<(typeof JOBS)[Name]['schema']>;

export const JOB_NAMES = Object.keys(JOBS).filter(isJobName);

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}

/** What names of ours in Redis begin with, keys and channels. */
export const KEY_PREFIX = 'upsilon';

/**
 * What the keys of a queue begin with. A Redis Cluster keeps keys with the same words in braces in one slot, as a queue's
 * scripts and flows need it; each queue has its own, so that queues spread over the masters.
 */
export function queuePrefix(prefix: string, queue: QueueName): string {
  return `{${prefix}-${queue}}`;
}

/** Redis channel on which operators are named whose plan may have changed. */
export function planChannel(prefix: string): string {
  return `${prefix}:plans`;
}

/** Redis channel on which published board versions are announced. */
export function boardChannel(prefix: string): string {
  return `${prefix}:board`;
}
