import type { Exit } from './exit.ts';

/** The log that a lifecycle reports to; a pino logger is one. */
export interface LifecycleLog {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface LifecycleOptions {
  readonly log: LifecycleLog;
  /** From the beginning of closing until the process ends all the same, in milliseconds. */
  readonly deadlineMs: number;
  /** Ends the process; given by tests. */
  readonly exit?: Exit;
}

/** Closes something that was opened. */
export type Close = () => Promise<unknown> | void;

/** What a process has open, and the one way to close it. */
export interface Lifecycle {
  /** Aborted when closing begins: loops and waits end on it. */
  readonly signal: AbortSignal;
  /**
   * Registers what was just opened. Closing goes in reverse order, each after the former: what was opened last may use
   * what was opened before. One that fails, or takes longer than `timeoutMs`, is reported and does not hold up the rest.
   * What is registered while everything closes is closed, too.
   */
  onClose(name: string, close: Close, timeoutMs?: number): void;
  /** Closes everything once; every call returns that one closing. True when all of it went well. */
  close(reason: string): Promise<boolean>;
  /**
   * From now on SIGTERM, SIGINT, SIGHUP, the parent's end and errors that nothing caught close everything and end the
   * process: with status 0 when it was asked to and all went well, else 1.
   */
  installSignalHandlers(): void;
  /** Tells the log, and the parent process if it listens, that this process serves. */
  announceReady(details: Readonly<Record<string, unknown>>): void;
}

/** What one resource may take to close when it does not say, in milliseconds. */
export const CLOSE_TIMEOUT_MS = 5_000;
