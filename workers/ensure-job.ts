import type { Queue } from 'bullmq';

/**
 * Ensures that a job is live: retries a permanently failed one, and calls `add` for a missing one. The job id is the id of
 * the work, so that duplicates are not added.
 */
export async function ensureJob(queue: Queue, id: string, add: () => Promise<void>): Promise<void> {
  const job = await queue.getJob(id);
  if (job === undefined) return add();
  const state = await job.getState();
  if (state === 'failed') return job.retry('failed', { resetAttemptsMade: true });
  // A key in no BullMQ list, left by an interrupted wipe of Redis, would block a new job with its id.
  if (state === 'unknown' || state === 'completed') {
    await job.remove();
    await add();
  }
}
