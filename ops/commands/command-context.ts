import type { EnvSource } from '../../config/env.ts';

/** The environment of a command; tests replace it. */
export interface CommandContext {
  readonly environment: EnvSource;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Prefix of all Redis keys. */
  readonly queuePrefix: string;
  /** Writes results to standard output. */
  readonly print: (text: string) => void;
  /** Writes errors and progress to standard error. */
  readonly printError: (text: string) => void;
}

/** Prints a JSON object as one line. */
export function printJson({ print }: CommandContext, value: object): void {
  print(`${JSON.stringify(value)}\n`);
}
