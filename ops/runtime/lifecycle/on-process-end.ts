/** What ends a process, short of a kill. */
export interface ProcessEnd {
  /** A signal or the end of the parent process. */
  asked(reason: string): void;
  /** An error that nothing caught. */
  failed(error: unknown): void;
  /** Asked by a terminal for the second time: somebody does not want to wait. */
  askedAgain(): void;
}

/**
 * Calls back for each way in which this process is told to end.
 *
 * A terminal's Ctrl-C and hang-up reach every process of its group. One that has a parent of ours (an IPC channel) leaves
 * both to the parent, which ends its children in order; the channel closes when the parent is gone, even if killed.
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
  process.on('disconnect', () => end.asked('the parent process is gone'));
  // Listening keeps the channel, and with it this process, alive; work alone shall do that.
  process.channel?.unref();
}
