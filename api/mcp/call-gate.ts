/** Calls that run at a time: each reads the store. Few enough that boards and submissions are served meanwhile. */
const MAX_RUNNING = 8;

/** Calls that wait for their turn; further ones are refused at once. */
const MAX_WAITING = 64;

/**
 * Makes a gate that lets calls in, a few at a time, in the order in which they came. Rate limits bound what one client may
 * ask; this bounds what all of them can cost together.
 */
export function createCallGate(limits = { running: MAX_RUNNING, waiting: MAX_WAITING }) {
  const queue: (() => void)[] = [];
  let running = 0;
  const leave = (): void => {
    const next = queue.shift();
    // A turn is handed on, so that nobody who comes meanwhile takes it.
    if (next === undefined) running -= 1;
    else next();
  };
  return {
    /** Runs a call when its turn comes. Null when too many wait already: the call did not run. */
    async run<T>(call: () => Promise<T>): Promise<T | null> {
      if (running < limits.running) running += 1;
      else if (queue.length < limits.waiting) await new Promise<void>((resolve) => void queue.push(resolve));
      else return null;
      try {
        return await call();
      } finally {
        leave();
      }
    },
  };
}
