import { setTimeout as pause } from 'node:timers/promises';

const DEFAULT_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 20;

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
  withinMs: number = DEFAULT_WITHIN_MS,
): Promise<Exclude<T, Nothing>> {
  const deadline = performance.now() + withinMs;
  let cause: unknown;
  for (;;) {
    try {
      const seen = await look();
      if (isThere(seen)) return seen;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) throw new Error(`${what} did not come within ${withinMs} ms`, { cause });
    await pause(LOOK_EVERY_MS);
  }
}

function isThere<T>(seen: T): seen is Exclude<T, Nothing> {
  return seen !== undefined && seen !== null && seen !== false;
}
