import type { SnapshotQueue } from '../../ports.ts';

/** Groups that the workers may have before them while the next one is still gathered: one to judge, one to go on with. */
const GROUPS_AHEAD = 2;

/** Milliseconds for which a group is gathered at most. */
const MAX_GATHER_MS = 25;

/** Milliseconds after which a group without a verdict is no longer counted on. */
const COUNTED_ON_MS = 2_000;

/**
 * Says when the next group is worth writing. A group costs the same few commands whatever its size: while the workers
 * have enough before them, gathering costs nobody anything, and makes groups large just when there is much to do.
 */
export interface GroupPace {
  /** A group was logged and is on its way to the workers. */
  began(group: string): void;
  /** Resolves at once while the workers have little before them, else when a group is done or a moment has passed. */
  turn(): Promise<void>;
}

export function createGroupPace(waitForGroup: SnapshotQueue['waitForGroup']): GroupPace {
  let ahead = 0;
  let goOn: (() => void) | null = null;

  async function follow(group: string): Promise<void> {
    ahead += 1;
    await waitForGroup(group, AbortSignal.timeout(COUNTED_ON_MS)).catch(() => null);
    ahead -= 1;
    goOn?.();
  }

  return {
    began: (group) => void follow(group),
    async turn() {
      if (ahead < GROUPS_AHEAD) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, MAX_GATHER_MS);
        goOn = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      goOn = null;
    },
  };
}
