/** Closes an engine when its process is stopped or its parent exits. */
export type CloseEngine = () => Promise<void>;

/** Time limit for closing an engine, in milliseconds; then its process exits. */
const CLOSE_DEADLINE_MS = 8_000;

/**
 * Runs an engine in this process: opens it, reports readiness to the parent, and closes it on SIGTERM or when the parent
 * exits (the IPC channel closes even when the parent was killed). A terminal's Ctrl-C reaches every process of its group,
 * but engines must outlive the processes that use them, so this process ignores it.
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
  // When opening or closing fails, this process ends with the reason: see below, and Node's report of the rejection.
  process.on('SIGTERM', () => void end());
  process.on('disconnect', () => void end());
  try {
    const { details } = await opening;
    sendToParent({ ...details, type: 'ready' });
  } catch (error) {
    ending = true;
    sendToParent({ type: 'failed', reason: error instanceof Error ? error.message : String(error) }, () =>
      process.exit(1),
    );
  }
}

/** Sends a message to the parent if the channel is open, then calls `done`. */
export function sendToParent(message: object, done: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, done);
  else done();
}
