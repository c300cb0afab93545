/** Callbacks for everything that ends a process except SIGKILL. */
export interface ProcessEnd {
  /** A signal, or the parent process exited. */
  asked(reason: string): void;
  /** An uncaught error or unhandled rejection. */
  failed(error: unknown): void;
  /** A second signal from the terminal: stop without waiting. */
  askedAgain(): void;
}

/**
 * Registers the callbacks.
 *
 * A terminal's Ctrl-C and hang-up reach every process of its group. A process with an IPC channel leaves both to its
 * parent, which stops its children in order; the channel closes when the parent exits, even by SIGKILL.
 */
export function onProcessEnd(end: ProcessEnd): void {
  const hasParent = process.connected;
  let asked = false;
  const onTerminal = (signal: string) => {
    if (hasParent) return;
    if (asked) end.askedAgain();
    asked = true;
    end.asked(signal);
  };
  process.on('SIGINT', onTerminal);
  process.on('SIGHUP', onTerminal);
  process.on('SIGTERM', () => end.asked('SIGTERM'));
  process.on('uncaughtException', (error) => end.failed(error));
  process.on('unhandledRejection', (error) => end.failed(error));
  if (!hasParent) return;
  process.on('disconnect', () => end.asked('the parent process exited'));
  // A listener keeps the channel referenced and the process alive; only work may do that.
  process.channel?.unref();
}
