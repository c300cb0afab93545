import { z } from 'zod';
import { DAY_MS } from '../../../config/units.ts';
import { logEntrySchema } from '../../../engine/contract/snapshot.ts';
import type { RedisClient } from '../stores/index.ts';

/** Queue names. They are stable: queued jobs carry them. */
export const QUEUE_NAMES = ['ingest', 'upkeep', 'rerank', 'billing'] as const;

export type QueueName = (typeof QUEUE_NAMES)[number];

/** Times are in milliseconds. An incompatible payload needs a new job name: workers leave unknown jobs to newer releases. */
interface JobDefinition<Schema extends z.ZodType> {
  readonly queue: QueueName;
  readonly schema: Schema;
  /** Most runs, the first included. */
  readonly attempts: number;
  /** Delay before the second run; doubles with each further one. */
  readonly backoffMs: number;
  /** A longer run counts as failed; its later writes do no harm, because every write is repeatable. */
  readonly timeoutMs: number;
  /** How long a permanently failed job is kept for inspection and repair. */
  readonly keepFailedMs: number;
  /** Interval of scheduled runs; null for jobs that are only added on demand. */
  readonly everyMs: number | null;
}

const NOTHING = z.strictObject({});

function upkeep(everyMs: number, timeoutMs: number): JobDefinition<typeof NOTHING> {
  const retries = { attempts: 3, backoffMs: 1_000, keepFailedMs: DAY_MS };
  return { queue: 'upkeep', schema: NOTHING, ...retries, timeoutMs, everyMs };
}

/** A job of a re-rank. After a permanent failure, the run gets new jobs for the remaining work. */
function rerank<Schema extends z.ZodType>(schema: Schema, timeoutMs: number): JobDefinition<Schema> {
  return { queue: 'rerank', schema, attempts: 8, backoffMs: 500, keepFailedMs: DAY_MS, timeoutMs, everyMs: null };
}

/** Jobs that call a payment provider have a separate queue, so that they block no other work. */
function billing(everyMs: number, timeoutMs: number): JobDefinition<typeof NOTHING> {
  return { ...upkeep(everyMs, timeoutMs), queue: 'billing' };
}

/** Id of a re-rank. */
const run = z.string().regex(/^[A-Za-z0-9]{1,32}$/);

export const JOBS = {
  'process-batch': {
    queue: 'ingest',
    // Without `entries` the worker reads them from the log; it verifies either like any other.
    schema: z.strictObject({ batch: z.string().min(1).max(64), entries: z.array(logEntrySchema).optional() }),
    attempts: 10,
    backoffMs: 250,
    timeoutMs: 60_000,
    keepFailedMs: 30 * DAY_MS,
    everyMs: null,
  },
  'advance-hour': upkeep(15_000, 30 * 60_000),
  'reconcile-log': upkeep(5_000, 5 * 60_000),
  'reconcile-operators': upkeep(60_000, 30 * 60_000),
  'collect-garbage': upkeep(10 * 60_000, 30 * 60_000),
  'retain-log': upkeep(10 * 60_000, 30 * 60_000),
  'maintain-accounts': upkeep(60_000, 10 * 60_000),
  'finish-seasons': upkeep(10 * 60_000, 30 * 60_000),
  'send-letters': upkeep(60_000, 10 * 60_000),
  'maintain-integrity': upkeep(3 * 60_000, 30 * 60_000),
  'apply-billing-event': {
    queue: 'billing',
    schema: z.strictObject({ event: z.string().min(1).max(255) }),
    attempts: 8,
    backoffMs: 1_000,
    timeoutMs: 5 * 60_000,
    keepFailedMs: 30 * DAY_MS,
    everyMs: null,
  },
  'maintain-billing': billing(10_000, 10 * 60_000),
  'maintain-purchases': billing(60_000, 10 * 60_000),
  'compare-billing': billing(DAY_MS, 6 * 60 * 60_000),
  'rank-platforms': upkeep(5_000, 2 * 60 * 60_000),
  'write-archive': upkeep(5 * 60_000, 30 * 60_000),
  'blank-archive': upkeep(7 * DAY_MS, 2 * 60 * 60_000),
  'supervise-rerank': upkeep(5_000, 2 * 60_000),
  'rerank-range': rerank(z.strictObject({ run, range: z.int().min(0) }), 10 * 60_000),
  'rerank-switch': rerank(z.strictObject({ run }), 30 * 60_000),
} as const satisfies Record<string, JobDefinition<z.ZodType>>;

export type JobName = keyof typeof JOBS;

export type Payload<Name extends JobName> = z.output<(typeof JOBS)[Name]['schema']>;

export const JOB_NAMES = Object.keys(JOBS).filter(isJobName);

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}

/** Prefix of all keys and channels in Redis. */
export const KEY_PREFIX = 'upsilon';

/** Key prefix of a queue. The braces put a queue's keys in one slot of a Redis Cluster, and each queue in another. */
export function queuePrefix(prefix: string, queue: QueueName): string {
  return `{${prefix}-${queue}}`;
}

/** Redis channel for operators whose plan may have changed. */
export function planChannel(prefix: string): string {
  return `${prefix}:plans`;
}

/** Announces operators whose plan may have changed. Processes that miss it find out by polling, seconds later. */
export function announcePlans(
  redis: Pick<RedisClient, 'publish'>,
  prefix: string,
  onError: (error: unknown) => void,
): (operator: number) => void {
  return (operator) => void redis.publish(planChannel(prefix), String(operator)).catch(onError);
}

/** Redis channel for published board versions. */
export function boardChannel(prefix: string): string {
  return `${prefix}:board`;
}
