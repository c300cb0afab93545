import { setTimeout as pause } from 'node:timers/promises';
import type { Committer } from '../engine/ranking/index.ts';

/** Pause between commits. */
const COMMIT_EVERY_MS = 1_000;

/** Runs the committer until closed; reports an error and continues with the next tick. */
export function runCommitLoop(committer: Committer, onError: (error: unknown) => void): { close(): Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const more = await committer.tick().catch((error: unknown) => {
        onError(error);
        return false;
      });
      if (!more) await pause(COMMIT_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    await committer.close();
  }

  const running = run();
  return {
    close() {
      closing.abort();
      return running;
    },
  };
}
