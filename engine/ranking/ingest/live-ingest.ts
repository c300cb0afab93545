/** How long after a fold others count on more of them, in milliseconds. */
const LIVE_MS = 1_000;

/** Whether this process folds snapshots at the moment: whoever has time leaves the store to them. */
export interface LiveIngest {
  /** A group is being folded. */
  note(): void;
  areLive(): boolean;
}

/** `now` tells milliseconds of a clock that is never set. */
export function createLiveIngest(now = (): number => performance.now()): LiveIngest {
  let last = Number.NEGATIVE_INFINITY;
  return {
    note() {
      last = now();
    },
    areLive: () => now() - last < LIVE_MS,
  };
}
