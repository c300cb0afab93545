import { type Job, type Telemetry, Worker } from 'bullmq';
import type { Logger, QueueMetrics, ThrottledLog } from '../ops/runtime/telemetry/index.ts';
import { isJobName, type JobName, QUEUE_NAMES, type QueueName, queuePrefix } from './catalog.ts';
import type { HandlerContext } from './handlers/context.ts';
import type { RedisClient } from './open-redis.ts';
import { runJob } from './run-job.ts';

const MS_PER_SECOND = 1_000;
/**
 * Jobs of a queue that one process runs at once: enough of ingest to overlap waiting for the store with verifying
 * signatures, and of a re-rank no more than one, beside which folds keep their pace.
 */
const CONCURRENCY: Readonly<Record<QueueName, number>> = { ingest: 3, upkeep: 2, rerank: 1, billing: 4 };
/** A worker that dies keeps its jobs from others for this long. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
/** A job may lose its worker this often: kills are no fault of the job's. */
const MAX_STALLED = 20;

export interface WorkersOptions {
  readonly connection: RedisClient;
  readonly prefix: string;
  readonly context: HandlerContext;
  readonly metrics: QueueMetrics;
  /** Told of every run that succeeded. */
  readonly onCompleted: (job: JobName) => void;
  readonly log: Logger;
  /** Told when a queue is out of reach. */
  readonly logThrottled: ThrottledLog;
  /** Lets jobs carry on the traces that they were added in. */
  readonly telemetry?: Telemetry | undefined;
}

/** Starts taking jobs from every queue. Closing lets running jobs end first. */
export function startWorkers(options: WorkersOptions): { close(): Promise<void> } {
  const { connection, prefix, context, metrics, onCompleted, log, logThrottled, telemetry } = options;
  const onUnknown = (job: Job): void => {
    metrics.ended('unknown', 'left', 0);
    logThrottled(new Error(`the job ${job.name} is of a newer version and is left for its workers`));
  };
  const workers = QUEUE_NAMES.map((name) => {
    const worker = new Worker(name, (job, token) => runJob(context, { job, token, onUnknown }), {
      connection,
      prefix: queuePrefix(prefix, name),
      concurrency: CONCURRENCY[name],
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MAX_STALLED,
      ...(telemetry === undefined ? {} : { telemetry }),
    });
    worker.on('active', (job) =>
      metrics.started(nameOf(job), secondsBetween(job.timestamp + job.delay, job.processedOn)),
    );
    worker.on('completed', (job) => {
      metrics.ended(nameOf(job), 'completed', runSeconds(job));
      // Beside a job's own words this is what leads from a request's group to the board: the job is named like the group.
      log.debug({ job: job.id, name: job.name, seconds: runSeconds(job) }, 'a job ended');
      if (isJobName(job.name)) onCompleted(job.name);
    });
    worker.on('failed', (job, error) => {
      if (job === undefined) return log.warn({ err: error }, 'a job that is gone has failed');
      const final = job.finishedOn !== undefined;
      metrics.ended(nameOf(job), final ? 'failed' : 'retried', runSeconds(job));
      log[final ? 'error' : 'warn'](
        { err: error, job: job.id, name: job.name, attempt: job.attemptsMade },
        'a job failed',
      );
    });
    worker.on('error', logThrottled);
    return worker;
  });
  return {
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

/** A label has no names but the catalog's. */
const nameOf = ({ name }: Job): string => (isJobName(name) ? name : 'unknown');

function secondsBetween(from: number, to: number | undefined): number {
  return Math.max(0, (to ?? from) - from) / MS_PER_SECOND;
}

function runSeconds({ processedOn, finishedOn }: Job): number {
  return processedOn === undefined ? 0 : Math.max(0, (finishedOn ?? Date.now()) - processedOn) / MS_PER_SECOND;
}
