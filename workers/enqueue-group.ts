import type { LogEntry } from '../engine/ranking/index.ts';
import type { Payload } from './catalog.ts';
import { ensureJob } from './ensure-job.ts';
import { jobOptions, type Queues } from './open-queues.ts';

/** Gives a group of the log its job, under the group's own name: a second one for the same group is not made. */
export async function enqueueGroup(queues: Queues, group: string, entries?: readonly LogEntry[]): Promise<void> {
  const payload: Payload<'fold-group'> = { group, ...(entries === undefined ? {} : { entries: [...entries] }) };
  await queues.ingest.add('fold-group', payload, { ...jobOptions('fold-group'), jobId: group });
}

/** Makes sure that an undecided group has a job that is alive: retries one that failed for good, adds one that is missing. */
export async function ensureGroupJob(queues: Queues, group: string): Promise<void> {
  await ensureJob(queues.ingest, group, () => enqueueGroup(queues, group));
}
