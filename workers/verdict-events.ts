import { QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { GroupVerdict } from '../engine/ranking/index.ts';
import { groupVerdictSchema } from './group-verdict.ts';

/** Tells waiting requests of a group's verdicts, whichever process judged it. */
export interface VerdictEvents {
  /** The verdicts of a group that ends from now on; null when aborted first. Call it before the group is queued. */
  waitFor(group: string, signal: AbortSignal): Promise<GroupVerdict | null>;
  close(): Promise<void>;
}

/** Follows the ingest queue's events on a Redis connection of its own kind (blocking reads). */
export async function openVerdictEvents(
  connection: Redis,
  prefix: string,
  onError: (error: Error) => void,
): Promise<VerdictEvents> {
  const events = new QueueEvents('ingest', { connection, prefix });
  const waiting = new Map<string, Set<(verdict: GroupVerdict | null) => void>>();

  events.on('error', onError);
  events.on('completed', ({ jobId, returnvalue }) => {
    const waiters = waiting.get(jobId);
    if (waiters === undefined) return;
    const parsed = groupVerdictSchema.safeParse(returnvalue);
    if (!parsed.success)
      return onError(new Error(`job ${jobId} returned no verdicts: ${z.prettifyError(parsed.error)}`));
    for (const resolve of waiters) resolve(parsed.data);
    waiting.delete(jobId);
  });
  await events.waitUntilReady();

  return {
    waitFor(group, signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        const waiters = waiting.get(group) ?? new Set();
        waiting.set(group, waiters);
        const stop = (): void => {
          waiters.delete(resolve);
          if (waiters.size === 0) waiting.delete(group);
          resolve(null);
        };
        signal.addEventListener('abort', stop, { once: true });
        waiters.add((verdict) => {
          signal.removeEventListener('abort', stop);
          resolve(verdict);
        });
      });
    },
    async close() {
      await events.close();
    },
  };
}
