import { QueueEvents } from 'bullmq';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type BatchVerdict, batchVerdictSchema } from '../../../engine/contract/snapshot.ts';
import type { RedisClient } from '../stores/index.ts';
import { queuePrefix } from './catalog.ts';

/**
 * Batches, of all api processes, whose verdicts are kept for requests that start waiting just after them: those of a repeated
 * snapshot, which read the store when their wait ends without a verdict. Few, because every verdict that is kept outlives
 * several collections of the young generation.
 */
const RECENT_BATCHES = 16;

/** Delivers batch verdicts to waiting requests, whichever process they come from. */
export type VerdictEvents = Awaited<ReturnType<typeof openVerdictEvents>>;

/** Follows the ingest queue's events on a separate blocking Redis connection. */
export async function openVerdictEvents(connection: RedisClient, prefix: string, onError: (error: Error) => void) {
  const events = new QueueEvents('ingest', { connection, prefix: queuePrefix(prefix, 'ingest') });
  const recent = new LRUCache<string, BatchVerdict>({ max: RECENT_BATCHES });
  const waiting = new Map<string, Set<(verdict: BatchVerdict | null) => void>>();

  events.on('error', onError);
  events.on('completed', ({ jobId, returnvalue }) => {
    const parsed = batchVerdictSchema.safeParse(returnvalue);
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
    /** The verdicts of a batch that completes from now on or completed recently; null when aborted first. */
    waitFor(batch: string, signal: AbortSignal): Promise<BatchVerdict | null> {
      return new Promise((resolve) => {
        const known = recent.get(batch);
        if (known !== undefined || signal.aborted) {
          resolve(known ?? null);
          return;
        }
        const waiters = waiting.get(batch) ?? new Set();
        waiting.set(batch, waiters);
        const settle = (verdict: BatchVerdict | null): void => {
          signal.removeEventListener('abort', stop);
          resolve(verdict);
        };
        const stop = (): void => {
          waiters.delete(settle);
          if (waiters.size === 0) waiting.delete(batch);
          resolve(null);
        };
        signal.addEventListener('abort', stop, { once: true });
        waiters.add(settle);
      });
    },
    close: () => events.close(),
  };
}
