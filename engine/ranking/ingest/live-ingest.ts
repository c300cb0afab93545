import type { LiveIngest } from '../context.ts';

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
