import type { Logger } from './create-logger.ts';

/** Logs errors that the process retries, such as an unreachable store. */
export type ThrottledLog = (error: unknown) => void;

/** Creates the log of errors that the process retries: its log throttles errors of the same cause. */
export function createThrottledLog(log: Pick<Logger, 'warn'>): ThrottledLog {
  return (error) => log.warn({ err: error }, 'operation failed and will be retried');
}
