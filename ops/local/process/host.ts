/** What an engine's own process does when it is asked to end, or its parent is gone. */
export type CloseEngine = () => Promise<void>;

/** Time an engine may take to close before its process ends all the same, in milliseconds. */
const CLOSE_DEADLINE_MS = 8_000;

/**
 * Runs an engine as the life of this process: opens it, tells the parent, and closes it on SIGTERM or when the parent
 * goes away (its IPC channel closes even when it was killed). A terminal's Ctrl-C reaches every process of its group,
 * but engines must outlive the processes that use them, so it is left to the parent.
 */
export async function runHost(open: () => Promise<{ details: object; close: CloseEngine }>): Promise<void> {
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  const opening = open();
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS);
    await (await opening).close();
    process.exit(0);
  };
  // An engine that does not open, or does not close, ends this process with its reason: see below, and Node's own report.
  process.on('SIGTERM', () => void end());
  process.on('disconnect', () => void end());
  try {
    const { details } = await opening;
    tellParent({ ...details, type: 'ready' });
  } catch (error) {
    ending = true;
    tellParent({ type: 'failed', reason: error instanceof Error ? error.message : String(error) }, () =>
      process.exit(1),
    );
  }
}

/** Sends to the parent, if there still is one; then, or at once when there is none, calls `done`. */
export function tellParent(message: object, done: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, done);
  else done();
}
