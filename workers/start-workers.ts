import { type Job, type Telemetry, Worker } from 'bullmq';
import { MS_PER_SECOND } from '../config/units.ts';
import { isJobName, type JobName, QUEUE_NAMES, type QueueName, queuePrefix } from '../ops/runtime/queues/index.ts';
import type { RedisClient } from '../ops/runtime/stores/index.ts';
import type { Logger, QueueMetrics, ThrottledLog } from '../ops/runtime/telemetry/index.ts';
import type { HandlerContext } from './handlers/context.ts';
import { runJob, SKIPPED } from './run-job.ts';

/**
 * Concurrent jobs per queue and process: enough ingest jobs to overlap waiting for the store with signature verification, and
 * only one re-rank job, so that ingest keeps its throughput.
 */
const CONCURRENCY: Readonly<Record<QueueName, number>> = { ingest: 3, upkeep: 3, rerank: 1, billing: 4 };
/** A crashed worker's jobs stay locked for this long. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
/** Most times that a job may lose its worker: crashes are not the job's fault. */
const MAX_STALLED = 20;

export interface WorkersOptions {
  readonly connection: RedisClient;
  readonly prefix: string;
  readonly context: HandlerContext;
  readonly metrics: QueueMetrics;
  /** Called for every successful run. */
  readonly onCompleted: (job: JobName) => void;
  readonly log: Logger;
  /** Called when a queue is unavailable. */
  readonly logThrottled: ThrottledLog;
  /** Propagates trace context through jobs. */
  readonly telemetry?: Telemetry | undefined;
}

/** Starts processing jobs of every queue. Closing lets running jobs finish, or end where they heed their signal. */
export function startWorkers(options: WorkersOptions): { close(): Promise<void> } {
  const { connection, prefix, context, metrics, onCompleted, log, logThrottled, telemetry } = options;
  const onUnknown = (job: Job): void => {
    metrics.ended('unknown', 'left', 0);
    logThrottled(new Error(`unknown job ${job.name}: delayed for workers of a newer release`));
  };
  const running = new Set<JobName>();
  const closing = new AbortController();
  const workers = QUEUE_NAMES.map((name) => {
    const worker = new Worker(
      name,
      (job, token) => runJob(context, { job, token, running, onUnknown, closing: closing.signal }),
      {
        connection,
        prefix: queuePrefix(prefix, name),
        concurrency: CONCURRENCY[name],
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_CHECK_MS,
        maxStalledCount: MAX_STALLED,
        ...(telemetry === undefined ? {} : { telemetry }),
      },
    );
    worker.on('active', (job) =>
      metrics.started(nameOf(job), secondsBetween(job.timestamp + job.delay, job.processedOn)),
    );
    worker.on('completed', (job, result) => {
      if (result === SKIPPED) return;
      metrics.ended(nameOf(job), 'completed', runSeconds(job));
      // The job id is the batch id: it leads from a request's batch to the board.
      log.debug({ job: job.id, name: job.name, seconds: runSeconds(job) }, 'a job ended');
      if (isJobName(job.name)) onCompleted(job.name);
    });
    worker.on('failed', (job, error) => {
      if (job === undefined) return log.warn({ err: error }, 'a removed job failed');
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
      closing.abort();
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

/** Metric labels take only names from the catalog. */
const nameOf = ({ name }: Job): string => (isJobName(name) ? name : 'unknown');

function secondsBetween(from: number, to: number | undefined): number {
  return Math.max(0, (to ?? from) - from) / MS_PER_SECOND;
}

function runSeconds({ processedOn, finishedOn }: Job): number {
  return processedOn === undefined ? 0 : Math.max(0, (finishedOn ?? Date.now()) - processedOn) / MS_PER_SECOND;
}
