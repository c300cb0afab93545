/** The part of a pino logger that a lifecycle uses. */
export interface LifecycleLog {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface LifecycleOptions {
  readonly log: LifecycleLog;
  /** Milliseconds from the start of closing until the process exits even if closing has not finished. */
  readonly deadlineMs: number;
  /** Exits the process; tests replace it. */
  readonly exit?: (status: number) => void;
}

export type Close = () => Promise<unknown> | void;

/** The open resources of a process, closed in order when it ends. */
export interface Lifecycle {
  /** Aborted when closing begins; loops and waits end on it. */
  readonly signal: AbortSignal;
  /**
   * Registers a resource that was just opened. Resources close one after another in reverse order, because a later one
   * may use an earlier one. A resource that fails to close, or takes longer than `timeoutMs`, is logged and skipped.
   * A resource registered during closing is closed as well.
   */
  onClose(name: string, close: Close, timeoutMs?: number): void;
  /** Closes everything once; later calls return the same promise. Resolves to true when every resource closed without an error. */
  close(reason: string): Promise<boolean>;
  /**
   * From now on SIGTERM, SIGINT, SIGHUP, the exit of the parent and uncaught errors close everything and exit: with
   * status 0 after a requested stop without errors, else 1.
   */
  installSignalHandlers(): void;
  /** Logs, and reports to the parent process if there is an IPC channel, that this process serves. */
  announceReady(details: Readonly<Record<string, unknown>>): void;
}

/** Default time limit for closing one resource, in milliseconds. */
export const CLOSE_TIMEOUT_MS = 5_000;
