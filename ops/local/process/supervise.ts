import { setTimeout as pause } from 'node:timers/promises';
import { type ChildSpec, launch, type RunningChild } from './launch.ts';

/** How often, and how fast, an ended process is started again. Times in milliseconds. */
export interface RestartPolicy {
  /** Ends within `windowMs` after which it is given up. */
  readonly endsMost: number;
  readonly windowMs: number;
  /** Before the first restart; doubled for each further end within the window. */
  readonly backoffMs: number;
}

export const RESTART_POLICY: RestartPolicy = { endsMost: 5, windowMs: 60_000, backoffMs: 250 };

/** What a supervised process's owner hears of. */
export interface SupervisionEvents {
  /** It ended by itself and is started again. */
  ended(name: string, reason: string): void;
  restarted(name: string, pid: number): void;
  /** It ended too often, and stays away. */
  gaveUp(name: string, reason: string): void;
}

/** A process that is started again when it ends by itself. */
export interface Supervised {
  readonly name: string;
  /** Process id; another one after a restart. */
  pid(): number;
  /** Ends it; it is started again as after any other end. */
  restart(): Promise<void>;
  /** Ends it, once and for all. */
  stop(): Promise<void>;
}

/**
 * Starts a process and keeps it running.
 *
 * @throws Error when it does not become ready the first time.
 */
export async function supervise(
  spec: ChildSpec,
  events: SupervisionEvents,
  policy: RestartPolicy = RESTART_POLICY,
): Promise<Supervised> {
  const stopping = new AbortController();
  let child: RunningChild = await launch(spec);
  const watched = keepRunning();
  return {
    name: spec.name,
    pid: () => child.pid,
    restart: async () => void (await child.stop()),
    stop: async () => {
      stopping.abort();
      await child.stop();
      await watched;
    },
  };

  async function keepRunning(): Promise<void> {
    const ends: number[] = [];
    for (;;) {
      let { reason } = await child.exited;
      for (;;) {
        if (stopping.signal.aborted) return;
        const now = performance.now();
        ends.push(now);
        const recent = ends.filter((at) => now - at < policy.windowMs).length;
        if (recent >= policy.endsMost) return events.gaveUp(spec.name, reason);
        events.ended(spec.name, reason);
        await pause(policy.backoffMs * 2 ** (recent - 1), undefined, { signal: stopping.signal }).catch(() => {});
        if (stopping.signal.aborted) return;
        const started = await launch(spec).catch((error: unknown) =>
          error instanceof Error ? error.message : String(error),
        );
        if (typeof started !== 'string') {
          child = started;
          break;
        }
        reason = started;
      }
      if (stopping.signal.aborted) await child.stop();
      else events.restarted(spec.name, child.pid);
    }
  }
}
