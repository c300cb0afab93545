import { type DestinationStream, type Logger, pino } from 'pino';
import { redactMembers, redactText } from './redact.ts';

export type { Logger } from 'pino';

interface LoggerOptions {
  readonly logLevel: string;
  /** The process: `api`, `worker-1`, … */
  readonly name: string;
}

/**
 * Creates the log of a process: one JSON object per line on standard output (or to `destination`), times in ISO 8601.
 * Members pass through `redactMembers`, messages through `redactText`. Errors go under `err`.
 */
export function createLogger(options: LoggerOptions, destination?: DestinationStream): Logger {
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
        method.apply(
          this,
          args.map((arg) => (typeof arg === 'string' ? redactText(arg) : arg)),
        );
      },
    },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}
