import { setTimeout as pause } from 'node:timers/promises';

/** Work that repeats in the background. */
export interface Repetition {
  /** Waits for the end of the current run, and rethrows an error of any run. */
  end(): Promise<void>;
}

/** Repeats `work` with pauses of `pauseMs` until `end` is called; an error ends it too. */
export function repeatedly(pauseMs: number, work: () => Promise<unknown>): Repetition {
  const ending = new AbortController();
  const { signal } = ending;
  const running = (async () => {
    while (!signal.aborted) {
      await work();
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  // Without `end`, after a failure of the bench, an error is ignored.
  running.catch(() => undefined);
  return {
    end() {
      ending.abort();
      return running;
    },
  };
}
