import { FlowProducer, type JobsOptions, Queue, type Telemetry } from 'bullmq';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { RedisClient } from '../stores/index.ts';
import { JOBS, type JobName, QUEUE_NAMES, type QueueName, queuePrefix } from './catalog.ts';

/** Events kept in a queue's stream for listeners that reconnect. */
const KEPT_EVENTS = 2_000;

export type Queues = Readonly<Record<QueueName, Queue>> & {
  /** Adds jobs that wait for other jobs, in the queue `rerank`: in a cluster a flow cannot span slots. */
  readonly flows: FlowProducer;
  close(): Promise<void>;
};

/** BullMQ options of a job, from the catalog. */
export function jobOptions(name: JobName): JobsOptions {
  const { attempts, backoffMs, keepFailedMs } = JOBS[name];
  return {
    attempts,
    backoff: { type: 'exponential', delay: backoffMs },
    removeOnComplete: true,
    removeOnFail: { age: keepFailedMs / MS_PER_SECOND },
  };
}

/** The caller closes the connection. `prefix`: of all names in Redis; `telemetry` propagates trace context through jobs. */
export function openQueues(
  connection: RedisClient,
  prefix: string,
  onError: (error: Error) => void,
  telemetry?: Telemetry,
): Queues {
  const traced = telemetry === undefined ? {} : { telemetry };
  const open = (name: QueueName): Queue => {
    const streams = { events: { maxLen: KEPT_EVENTS } };
    const queue = new Queue(name, { connection, prefix: queuePrefix(prefix, name), streams, ...traced });
    queue.on('error', onError);
    return queue;
  };
  const queues = { ingest: open('ingest'), upkeep: open('upkeep'), rerank: open('rerank'), billing: open('billing') };
  const flows = new FlowProducer({ connection, prefix: queuePrefix(prefix, 'rerank'), ...traced });
  flows.on('error', onError);
  return {
    ...queues,
    flows,
    async close() {
      await Promise.all([...QUEUE_NAMES.map((name) => queues[name].close()), flows.close()]);
    },
  };
}
