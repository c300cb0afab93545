/** Joins concurrent runs of a task. */
export interface SingleFlight<T> {
  /** Runs the task, or returns the promise of the run with the same key that is in progress. */
  (task: () => Promise<T>, key?: string): Promise<T>;
  /** Resolves when the runs in progress have ended, whatever their outcome. */
  settled(): Promise<void>;
}

export function singleFlight<T>(): SingleFlight<T> {
  const running = new Map<string, Promise<T>>();
  const run = (task: () => Promise<T>, key = ''): Promise<T> => {
    const known = running.get(key);
    if (known !== undefined) return known;
    const started = task().finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
  return Object.assign(run, {
    settled: async () => void (await Promise.allSettled(running.values())),
  });
}
