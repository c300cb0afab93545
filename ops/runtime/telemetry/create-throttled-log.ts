import { LRUCache } from 'lru-cache';
import type { Logger } from './create-logger.ts';

/** An error that repeats is logged again after this time, with `suppressedCount`. */
const INTERVAL_MS = 30_000;
const MAX_REMEMBERED_ERRORS = 100;

/** Logs errors that the process retries, such as an unreachable store. */
export type ThrottledLog = (error: unknown) => void;

/** An outage raises the same error many times a second: it is logged at once, then at most every `INTERVAL_MS`. */
export function createThrottledLog(
  log: Pick<Logger, 'warn'>,
  now: () => number = () => performance.now(),
): ThrottledLog {
  const remembered = new LRUCache<string, { loggedAt: number; suppressed: number }>({ max: MAX_REMEMBERED_ERRORS });
  return (error) => {
    const name = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const known = remembered.get(name);
    if (known !== undefined && now() - known.loggedAt < INTERVAL_MS) {
      known.suppressed += 1;
      return;
    }
    const again = known === undefined || known.suppressed === 0 ? {} : { suppressedCount: known.suppressed };
    remembered.set(name, { loggedAt: now(), suppressed: 0 });
    log.warn({ err: error, ...again }, 'operation failed and will be retried');
  };
}
