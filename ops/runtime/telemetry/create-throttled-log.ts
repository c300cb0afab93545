import { LRUCache } from 'lru-cache';
import type { Logger } from './create-logger.ts';

/** The same trouble is told again only after this long, with how often it came meanwhile. */
const SILENCE_MS = 30_000;
const REMEMBERED_TROUBLES = 100;

/** Tells of trouble that the process lives with and tries to get over, such as a store that is away. */
export type ThrottledLog = (error: unknown) => void;

/** An outage brings the same error many times a second: the log has it once, then every half minute while it lasts. */
export function createThrottledLog(
  log: Pick<Logger, 'warn'>,
  now: () => number = () => performance.now(),
): ThrottledLog {
  const troubles = new LRUCache<string, { toldAt: number; since: number }>({ max: REMEMBERED_TROUBLES });
  return (error) => {
    const name = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const known = troubles.get(name);
    if (known !== undefined && now() - known.toldAt < SILENCE_MS) {
      known.since += 1;
      return;
    }
    const again = known === undefined || known.since === 0 ? {} : { suppressedCount: known.since };
    troubles.set(name, { toldAt: now(), since: 0 });
    log.warn({ err: error, ...again }, 'something failed and will be tried again');
  };
}
