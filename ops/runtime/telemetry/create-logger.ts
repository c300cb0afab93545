import { type DestinationStream, type Logger, pino } from 'pino';
import { redactMembers, redactText } from './redact.ts';
import { createThrottle } from './throttle-causes.ts';

export type { Logger } from 'pino';

interface LoggerOptions {
  readonly logLevel: string;
  /** The process: `api`, `worker-1`, … */
  readonly name: string;
}

/**
 * Creates the log of a process: one JSON object per line on standard output (or to `destination`), times in ISO 8601.
 * Members pass through `redactMembers`, messages through `redactText`. Errors go under `err`; those of the same cause are throttled.
 */
export function createLogger(options: LoggerOptions, destination?: DestinationStream): Logger {
  const throttle = createThrottle();
  const settings = {
    name: options.name,
    level: options.logLevel,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (details: object) => redactMembers(details),
    },
    // The formatter has turned errors into plain objects; pino's default serializer would convert them again.
    serializers: { err: (value: unknown) => value },
    hooks: {
      logMethod(this: Logger, args: Parameters<Logger['info']>, method: (...rest: unknown[]) => void) {
        const [details, message] = args;
        const left = isOfCause(details) ? throttle(String(message), details.err) : 0;
        if (left === null) return;
        const given = left === 0 ? args : [Object.assign({ suppressedCount: left }, details), ...args.slice(1)];
        method.apply(
          this,
          given.map((arg) => (typeof arg === 'string' ? redactText(arg) : arg)),
        );
      },
    },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}

/** Logs errors that the process retries, such as an unreachable store: the log throttles those of the same cause. */
export type ThrottledLog = (error: unknown) => void;

export function createThrottledLog(log: Pick<Logger, 'warn'>): ThrottledLog {
  return (error) => log.warn({ err: error }, 'operation failed and will be retried');
}

/** Whether a line is about an error that others share. A fault of this program has its own line each time: `instance` leads to it. */
function isOfCause(details: unknown): details is { readonly err: unknown } {
  if (typeof details !== 'object' || details === null || !('err' in details)) return false;
  return !('code' in details) || details.code !== 'internal_error';
}
