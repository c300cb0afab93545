/**
 * Serializes work by key. Callers that arrive during a run share the next one, so each gets the result of a run that began
 * after its call.
 */
export function shareNextRun<Key, Result>(work: (key: Key) => Promise<Result>): (key: Key) => Promise<Result> {
  /** Runs that have not begun. */
  const next = new Map<Key, Promise<Result>>();
  const running = new Map<Key, Promise<unknown>>();

  /** The work begins asynchronously, so later callers can share this run until then. */
  async function startNext(key: Key): Promise<Result> {
    // A failure of the previous run concerns its own callers.
    await running.get(key)?.catch(() => undefined);
    next.delete(key);
    const run = work(key);
    running.set(key, run);
    try {
      return await run;
    } finally {
      if (running.get(key) === run) running.delete(key);
    }
  }

  return (key) => {
    const waiting = next.get(key);
    if (waiting !== undefined) return waiting;
    const run = startNext(key);
    next.set(key, run);
    return run;
  };
}
