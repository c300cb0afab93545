import { LRUCache } from 'lru-cache';

/** An error of the same cause is logged again after this time, in milliseconds, with the number of those between. */
const INTERVAL_MS = 30_000;
const MAX_REMEMBERED_CAUSES = 100;

/**
 * Creates the throttle of a log: an outage raises the same error thousands of times a second. Returns, for a line with an error,
 * how many of its cause were left out before it; null where it is left out itself.
 */
export function createThrottle(now: () => number = () => performance.now()) {
  const remembered = new LRUCache<string, { loggedAt: number; suppressed: number }>({ max: MAX_REMEMBERED_CAUSES });
  return (message: string, error: unknown): number | null => {
    const cause = `${message}\n${causeOf(error)}`;
    const known = remembered.get(cause);
    if (known !== undefined && now() - known.loggedAt < INTERVAL_MS) {
      known.suppressed += 1;
      return null;
    }
    remembered.set(cause, { loggedAt: now(), suppressed: 0 });
    return known?.suppressed ?? 0;
  };
}

/** The name and code of an error, or its message where it has no code: without the ids and numbers of what was asked for. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.name}: ${'code' in error ? String(error.code) : error.message.replace(/\w*\d\w*/g, '#')}`;
}
