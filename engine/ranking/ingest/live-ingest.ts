import { setTimeout as pause } from 'node:timers/promises';
import type { LiveIngest, RankingContext } from '../context.ts';

/** Time after the last batch during which ingest counts as active, in milliseconds. */
const LIVE_MS = 1_000;

/** `now` returns milliseconds of a monotonic clock. */
export function createLiveIngest(now = (): number => performance.now()): LiveIngest {
  let last = Number.NEGATIVE_INFINITY;
  return {
    recordBatch() {
      last = now();
    },
    isActive: () => now() - last < LIVE_MS,
  };
}

/** Background work pauses for this many times the duration of a step during live ingest: it takes a sixth of the store. */
const PAUSE_FACTOR = 5;
const MAX_PAUSE_MS = 1_000;

/** Pauses after a step of background work while snapshots are ingested. */
export async function pauseForIngest(
  { liveIngest }: Pick<RankingContext, 'liveIngest'>,
  tookMs: number,
): Promise<void> {
  if (liveIngest.isActive()) await pause(Math.min(MAX_PAUSE_MS, tookMs * PAUSE_FACTOR));
}
