import type { EnvSource } from '../../config/env.ts';

/** What commands know of the world, so that tests can stand in for it. */
export interface CommandContext {
  readonly environment: EnvSource;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** What all names in Redis begin with. */
  readonly queuePrefix: string;
  /** Writes what was asked for. */
  readonly print: (text: string) => void;
  /** Writes what went wrong. */
  readonly logThrottled: (text: string) => void;
}

/** Prints one JSON object on a line of its own. */
export function printJson({ print }: CommandContext, value: object): void {
  print(`${JSON.stringify(value)}\n`);
}
