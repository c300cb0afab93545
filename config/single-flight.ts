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
