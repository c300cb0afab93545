/** Calls that run at a time: each reads the store. Few enough that boards and submissions are served meanwhile. */
const MAX_RUNNING = 8;

/** Calls that wait for their turn; further ones are refused at once. */
const MAX_WAITING = 64;

/** Runs a few calls at a time, in order of arrival: bounds the load of all clients, as rate limits do those of one. */
export function createCallGate(limits = { running: MAX_RUNNING, waiting: MAX_WAITING }) {
  const queue: (() => void)[] = [];
  let running = 0;
  return {
    /** Runs a call when its turn comes. Null when too many are waiting: the call did not run. */
    async run<T>(call: () => Promise<T>): Promise<T | null> {
      if (running < limits.running) running += 1;
      else if (queue.length < limits.waiting) await new Promise<void>((resolve) => void queue.push(resolve));
      else return null;
      try {
        return await call();
      } finally {
        // The turn passes to the call that waited longest, so that a call which arrives now cannot take it.
        const next = queue.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
