import type { LogEntry } from '../engine/ranking/index.ts';
import type { Payload } from './catalog.ts';
import { ensureJob } from './ensure-job.ts';
import { jobOptions, type Queues } from './open-queues.ts';

/** Gives a group of the log its job, under the group's own name: a second one for the same group is not made. */
export async function enqueueBatch(queues: Queues, batch: string, entries?: readonly LogEntry[]): Promise<void> {
  const payload: Payload<'process-batch'> = { batch, ...(entries === undefined ? {} : { entries: [...entries] }) };
  await queues.ingest.add('process-batch', payload, { ...jobOptions('process-batch'), jobId: batch });
}

/** Makes sure that an undecided group has a job that is alive: retries one that failed for good, adds one that is missing. */
export async function ensureBatchJob(queues: Queues, batch: string): Promise<void> {
  await ensureJob(queues.ingest, batch, () => enqueueBatch(queues, batch));
}
