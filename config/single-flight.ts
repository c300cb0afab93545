/** Creates a function that runs a task, or returns the promise of the run with the same key that is in progress. */
export function singleFlight<T>() {
  const running = new Map<string, Promise<T>>();
  const run = (task: () => Promise<T>, key = ''): Promise<T> => {
    const known = running.get(key);
    if (known !== undefined) return known;
    const started = task().finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
  return Object.assign(run, {
    /** Resolves when the runs in progress have ended, whatever their outcome. */
    settled: async (): Promise<void> => void (await Promise.allSettled(running.values())),
  });
}

/**
 * Creates a function that runs a task which began after the call: calls during a run share the run after it. Two runs never
 * overlap.
 */
export function freshFlight(task: () => Promise<void>) {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  function start(): Promise<void> {
    next = null;
    running = task().finally(() => {
      running = null;
    });
    return running;
  }
  // A call in between may have begun the run.
  const startNext = (): Promise<void> => running ?? start();
  const run = (): Promise<void> => {
    if (running === null) return start();
    next ??= running.then(startNext, startNext);
    return next;
  };
  return Object.assign(run, {
    /** Resolves when the runs of all calls have ended, whatever their outcome. */
    settled: async (): Promise<void> => void (await Promise.allSettled([running, next])),
  });
}
