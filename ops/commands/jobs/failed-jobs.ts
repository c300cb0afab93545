import type { Job, Queue } from 'bullmq';

/** Failed jobs that one question to Redis asks for. */
const PAGE = 200;

/** At most this many failed jobs of one queue, newest first; the newest of a queue that has fewer than that are all. */
export async function failedJobs(queue: Queue, most: number): Promise<readonly Job[]> {
  const found: Job[] = [];
  while (found.length < most) {
    const wanted = Math.min(PAGE, most - found.length);
    const page: readonly Job[] = await queue.getFailed(found.length, found.length + wanted - 1);
    // A job that is removed between the two steps of the question comes back empty.
    found.push(...page.filter((job) => job !== undefined && job !== null));
    if (page.length < wanted) break;
  }
  return found;
}
