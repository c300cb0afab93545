/** The part of a pino logger that a lifecycle uses. */
interface LifecycleLog {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

interface LifecycleOptions {
  readonly log: LifecycleLog;
  /** Milliseconds from the start of closing until the process exits even if closing has not finished. */
  readonly deadlineMs: number;
}

type Close = () => Promise<unknown> | void;

interface Opened {
  readonly name: string;
  readonly close: Close;
  readonly timeoutMs: number;
}

/** Default time limit for closing one resource, in milliseconds. */
const CLOSE_TIMEOUT_MS = 5_000;

/** The open resources of a process, closed in order when it ends. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

/** Creates the lifecycle of this process. Call it once per process, before opening anything. */
export function createLifecycle({ log, deadlineMs }: LifecycleOptions) {
  const closing = new AbortController();
  const opened: Opened[] = [];
  let closed: Promise<boolean> | null = null;
  let allClosed = false;
  let exitStatus = 0;

  async function closeAll(reason: string): Promise<boolean> {
    log.info({ reason }, 'closing');
    closing.abort(new Error(reason));
    let well = true;
    for (let next = opened.pop(); next !== undefined; next = opened.pop()) {
      well = (await closeOne(next, log)) && well;
    }
    allClosed = true;
    log.info({ reason, well }, 'closed');
    return well;
  }

  const close = (reason: string): Promise<boolean> => (closed ??= closeAll(reason));

  async function endWith(reason: string, status: number): Promise<void> {
    exitStatus = Math.max(exitStatus, status);
    const ending = close(reason);
    const deadline = setTimeout(() => {
      log.error({ deadlineMs }, 'not closed within the deadline');
      process.exit(1);
    }, deadlineMs);
    const well = await ending;
    clearTimeout(deadline);
    process.exit(well ? exitStatus : 1);
  }

  return {
    /** Aborted when closing begins; loops and waits end on it. */
    signal: closing.signal,
    /**
     * Registers a resource that was just opened. Resources close one after another in reverse order, because a later one
     * may use an earlier one. A resource that fails to close, or takes longer than `timeoutMs`, is logged and skipped.
     * A resource registered during closing is closed as well.
     */
    onClose(name: string, closeIt: Close, timeoutMs = CLOSE_TIMEOUT_MS): void {
      const resource = { name, close: closeIt, timeoutMs };
      if (allClosed) void closeOne(resource, log);
      else opened.push(resource);
    },
    /** Closes everything once; later calls return the same promise. Resolves to true when every resource closed without an error. */
    close,
    /**
     * From now on SIGTERM, SIGINT, SIGHUP, the exit of the parent and uncaught errors close everything and exit: with
     * status 0 after a requested stop without errors, else 1.
     */
    installSignalHandlers(): void {
      onProcessEnd(
        (reason) => void endWith(reason, 0),
        (error) => {
          log.error({ err: error }, 'uncaught error');
          void endWith('uncaught error', 1);
        },
      );
    },
    /** Logs, and reports to the parent process if there is an IPC channel, that this process serves. */
    announceReady(details: Readonly<Record<string, unknown>>): void {
      log.info(details, 'ready');
      // The callback swallows the error of a parent that has exited: `disconnect` reports that.
      if (process.connected) process.send?.({ ...details, type: 'ready' }, undefined, undefined, () => {});
    },
  };
}

/**
 * Registers callbacks for everything that ends a process except SIGKILL: a stop by a signal or the parent's exit, and an
 * uncaught error. A second signal from the terminal exits at once.
 *
 * A terminal's Ctrl-C and hang-up reach every process of its group. A process with an IPC channel leaves both to its
 * parent, which stops its children in order; the channel closes when the parent exits, even by SIGKILL.
 */
function onProcessEnd(asked: (reason: string) => void, failed: (error: unknown) => void): void {
  const hasParent = process.connected;
  let wasAsked = false;
  const onTerminal = (signal: string) => {
    if (hasParent) return;
    if (wasAsked) process.exit(1);
    wasAsked = true;
    asked(signal);
  };
  process.on('SIGINT', onTerminal);
  process.on('SIGHUP', onTerminal);
  process.on('SIGTERM', asked);
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  if (!hasParent) return;
  process.on('disconnect', () => asked('the parent process exited'));
  // A listener keeps the channel referenced and the process alive; only work may do that.
  process.channel?.unref();
}

/** Closes a resource, and logs an error or that it took too long. Returns whether it closed. */
async function closeOne({ name, close, timeoutMs }: Opened, log: LifecycleLog): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([Promise.resolve(close()), late]);
    return true;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    log.error({ resource: name, problem }, 'a resource did not close');
    return false;
  } finally {
    clearTimeout(timer);
  }
}
