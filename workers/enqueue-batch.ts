import type { LogEntry } from '../engine/ranking/index.ts';
import type { Payload } from './catalog.ts';
import { ensureJob } from './ensure-job.ts';
import { jobOptions, type Queues } from './open-queues.ts';

/** Queues a logged batch. The job id is the batch id, so that duplicates are not added. */
export async function enqueueBatch(queues: Queues, batch: string, entries?: readonly LogEntry[]): Promise<void> {
  const payload: Payload<'process-batch'> = { batch, ...(entries === undefined ? {} : { entries: [...entries] }) };
  await queues.ingest.add('process-batch', payload, { ...jobOptions('process-batch'), jobId: batch });
}

/** Ensures that a batch without verdicts has a live job: retries a permanently failed one, adds a missing one. */
export async function ensureBatchJob(queues: Queues, batch: string): Promise<void> {
  await ensureJob(queues.ingest, batch, () => enqueueBatch(queues, batch));
}
