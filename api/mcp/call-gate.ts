/** What the calls of all clients together may cost at a time. */
interface CallGateLimits {
  /** Calls that run at a time: each reads the store, and some hundreds of entries. */
  readonly running: number;
  /** Calls that wait for their turn; further ones are refused at once. */
  readonly waiting: number;
}

/** Enough to use the store's connections well, and few enough that boards and submissions are served meanwhile. */
const CALL_GATE_LIMITS: CallGateLimits = { running: 8, waiting: 64 };

/** Lets calls in, a few at a time, in the order in which they came. */
export interface CallGate {
  /** Runs a call when its turn comes. Null when too many wait already: the call did not run. */
  run<T>(call: () => Promise<T>): Promise<T | null>;
}

/** Makes a gate. Rate limits bound what one client may ask; this bounds what all of them can cost together. */
export function createCallGate({ running: most, waiting: room }: CallGateLimits = CALL_GATE_LIMITS): CallGate {
  const queue: (() => void)[] = [];
  let running = 0;
  const leave = (): void => {
    const next = queue.shift();
    // A turn is handed on, so that nobody who comes meanwhile takes it.
    if (next === undefined) running -= 1;
    else next();
  };
  return {
    async run(call) {
      if (running < most) running += 1;
      else if (queue.length < room) await new Promise<void>((resolve) => void queue.push(resolve));
      else return null;
      try {
        return await call();
      } finally {
        leave();
      }
    },
  };
}
