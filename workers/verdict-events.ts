import { QueueEvents } from 'bullmq';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { GroupVerdict } from '../engine/ranking/index.ts';
import { queuePrefix } from './catalog.ts';
import { groupVerdictSchema } from './group-verdict.ts';
import type { RedisClient } from './open-redis.ts';

/** Verdicts remembered for whoever asks just after they came. */
const REMEMBERED_GROUPS = 256;
const REMEMBERED_MS = 5_000;

/** Tells waiting requests of a group's verdicts, whichever process judged it. */
export interface VerdictEvents {
  /** The verdicts of a group that ends from now on, or ended just before; null when aborted first. */
  waitFor(group: string, signal: AbortSignal): Promise<GroupVerdict | null>;
  close(): Promise<void>;
}

/** Follows the ingest queue's events on a Redis connection of its own kind (blocking reads). */
export async function openVerdictEvents(
  connection: RedisClient,
  prefix: string,
  onError: (error: Error) => void,
): Promise<VerdictEvents> {
  const events = new QueueEvents('ingest', { connection, prefix: queuePrefix(prefix, 'ingest') });
  const recent = new LRUCache<string, GroupVerdict>({ max: REMEMBERED_GROUPS, ttl: REMEMBERED_MS });
  const waiting = new Map<string, Set<(verdict: GroupVerdict | null) => void>>();

  events.on('error', onError);
  events.on('completed', ({ jobId, returnvalue }) => {
    const parsed = groupVerdictSchema.safeParse(returnvalue);
    if (!parsed.success) {
      onError(new Error(`job ${jobId} returned no verdicts: ${z.prettifyError(parsed.error)}`));
      return;
    }
    recent.set(jobId, parsed.data);
    for (const resolve of waiting.get(jobId) ?? []) resolve(parsed.data);
    waiting.delete(jobId);
  });
  await events.waitUntilReady();

  return {
    waitFor(group, signal) {
      return new Promise((resolve) => {
        const known = recent.get(group);
        if (known !== undefined || signal.aborted) {
          resolve(known ?? null);
          return;
        }
        const waiters = waiting.get(group) ?? new Set();
        waiting.set(group, waiters);
        const settle = (verdict: GroupVerdict | null): void => {
          signal.removeEventListener('abort', stop);
          resolve(verdict);
        };
        const stop = (): void => {
          waiters.delete(settle);
          if (waiters.size === 0) waiting.delete(group);
          resolve(null);
        };
        signal.addEventListener('abort', stop, { once: true });
        waiters.add(settle);
      });
    },
    async close() {
      await events.close();
    },
  };
}
