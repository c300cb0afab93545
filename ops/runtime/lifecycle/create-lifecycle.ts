import { CLOSE_TIMEOUT_MS, type Close, type Lifecycle, type LifecycleOptions } from './lifecycle.ts';
import { onProcessEnd } from './on-process-end.ts';

interface Opened {
  readonly name: string;
  readonly close: Close;
  readonly timeoutMs: number;
}

/** Creates the lifecycle of this process. Call it once per process, before opening anything. */
export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const { log, deadlineMs, exit = (status) => process.exit(status) } = options;
  const closing = new AbortController();
  const opened: Opened[] = [];
  let closed: Promise<boolean> | null = null;
  let allClosed = false;
  let exitStatus = 0;

  async function closeOne({ name, close, timeoutMs }: Opened): Promise<boolean> {
    const problem = await closeWithin(close, timeoutMs);
    if (problem !== null) log.error({ resource: name, problem }, 'a resource did not close');
    return problem === null;
  }

  async function closeAll(reason: string): Promise<boolean> {
    log.info({ reason }, 'closing');
    closing.abort(new Error(reason));
    let well = true;
    for (let next = opened.pop(); next !== undefined; next = opened.pop()) {
      well = (await closeOne(next)) && well;
    }
    allClosed = true;
    log.info({ reason, well }, 'closed');
    return well;
  }

  const close = (reason: string) => (closed ??= closeAll(reason));

  return {
    signal: closing.signal,
    onClose(name, closeIt, timeoutMs = CLOSE_TIMEOUT_MS) {
      const resource = { name, close: closeIt, timeoutMs };
      if (allClosed) void closeOne(resource);
      else opened.push(resource);
    },
    close,
    installSignalHandlers() {
      onProcessEnd({
        asked: (reason) => void endWith(close(reason), 0),
        failed: (error) => {
          log.error({ err: error }, 'uncaught error');
          void endWith(close('uncaught error'), 1);
        },
        askedAgain: () => exit(1),
      });
    },
    announceReady(details) {
      log.info(details, 'ready');
      // The callback swallows the error of a parent that has exited: `disconnect` reports that.
      if (process.connected) process.send?.({ ...details, type: 'ready' }, undefined, undefined, () => {});
    },
  };

  async function endWith(ending: Promise<boolean>, status: number): Promise<void> {
    exitStatus = Math.max(exitStatus, status);
    const deadline = setTimeout(() => {
      log.error({ deadlineMs }, 'not closed within the deadline');
      exit(1);
    }, deadlineMs);
    const well = await ending;
    clearTimeout(deadline);
    exit(well ? exitStatus : 1);
  }
}

/** Closes a resource. Returns the error message, or that it took too long; null on success. */
async function closeWithin(close: Close, timeoutMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`took longer than ${timeoutMs} ms`), timeoutMs);
  });
  try {
    return await Promise.race([Promise.resolve(close()).then(() => null), late]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
