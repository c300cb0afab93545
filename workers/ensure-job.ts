import type { Queue } from 'bullmq';

/**
 * Makes sure that a job is alive: retries one that failed for good, and calls `add` for one that is missing. A job's id is
 * its own name for the work, so that a second one for the same is not made.
 */
export async function ensureJob(queue: Queue, id: string, add: () => Promise<void>): Promise<void> {
  const job = await queue.getJob(id);
  if (job === undefined) return add();
  const state = await job.getState();
  if (state === 'failed') return job.retry('failed', { resetAttemptsMade: true });
  // A key without a place in any list: what an interrupted wipe of Redis leaves. It would keep a new job out.
  if (state === 'unknown' || state === 'completed') {
    await job.remove();
    await add();
  }
}
