import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** How long the processors may be idle, on average, before nothing is expected to come: as long as they work, it is only late. */
const IDLE_MS = 60_000;
/** The limit on a machine that is never idle, in times of that. */
const BUSY_TIMES = 10;
/** Looks become rarer, because they slow down what they wait for; a pause is as long as the look before, or this. */
const LOOK_EVERY_MS = { first: 20, last: 100, after: 2_000 };

/** Values of `look` that mean: not yet. */
type Nothing = undefined | null | false;

/**
 * Waits until `look` gives something other than `undefined`, `null` and `false`, and returns that.
 *
 * @throws Error with the name of the condition, and the last error of `look` as its cause.
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  withinIdleMs: number = IDLE_MS,
): Promise<Exclude<T, Nothing>> {
  const [started, idleBefore] = [performance.now(), idleMs()];
  let cause: unknown;
  for (;;) {
    const began = performance.now();
    try {
      const seen = await look();
      if (isThere(seen)) return seen;
    } catch (error) {
      cause = error;
    }
    const now = performance.now();
    const waited = now - started;
    if (waited > BUSY_TIMES * withinIdleMs || (waited > withinIdleMs && idleMs() - idleBefore > withinIdleMs))
      throw new Error(`${what} did not come within ${Math.round(waited)} ms`, { cause });
    await pause(Math.max(now - began, waited < LOOK_EVERY_MS.after ? LOOK_EVERY_MS.first : LOOK_EVERY_MS.last));
  }
}

/** How long a processor of this machine was idle, on average, in milliseconds. */
function idleMs(): number {
  const all = cpus();
  return all.reduce((sum, { times }) => sum + times.idle, 0) / all.length;
}

function isThere<T>(seen: T): seen is Exclude<T, Nothing> {
  return seen !== undefined && seen !== null && seen !== false;
}
