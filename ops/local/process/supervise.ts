import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../../../config/limits.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { type ChildSpec, launch, type RunningChild } from './launch.ts';

/** Limits of restarts. Times in milliseconds. */
export interface RestartPolicy {
  /** Exits within `windowMs` after which the process is not restarted. */
  readonly maxEnds: number;
  readonly windowMs: number;
  /** Delay before the first restart; doubles with each further exit within the window. */
  readonly backoffMs: number;
}

export const RESTART_POLICY: RestartPolicy = { maxEnds: 5, windowMs: 60_000, backoffMs: 250 };

/** Callbacks about a supervised process. */
export interface SupervisionEvents {
  /** It exited unexpectedly and is restarted. */
  ended(name: string, reason: string): void;
  /** It gave no answer for this long and is killed. */
  silent?(name: string, seconds: number): void;
  restarted(name: string, pid: number): void;
  /** It exited too often and is not restarted. */
  gaveUp(name: string, reason: string): void;
}

/** A process that is restarted when it exits unexpectedly. */
export type Supervised = Awaited<ReturnType<typeof supervise>>;

/**
 * Starts a process and restarts it when it exits. One with a `liveUrl` is asked there whether it lives, while it runs: it ends by
 * SIGKILL, and is restarted as after any other exit, when it is silent.
 *
 * @throws Error when the first start fails.
 */
export async function supervise(
  spec: ChildSpec,
  events: SupervisionEvents,
  policy: RestartPolicy = RESTART_POLICY,
  liveness: Record<keyof typeof LIMITS.liveness, number> = LIMITS.liveness,
) {
  const stopping = new AbortController();
  let child: RunningChild = await launch(spec);
  let isRunning = true;
  const watched = keepRunning();
  if (spec.liveUrl !== undefined) void keepAlive(spec.liveUrl);
  return {
    name: spec.name,
    /** Process id; it changes with a restart. */
    pid: () => child.pid,
    /** Stops it; it is restarted as after any other exit. */
    restart: async () => void (await child.stop()),
    /** Lets it end by itself: from here on it is not restarted. */
    letEnd: () => stopping.abort(),
    /** Stops it permanently. */
    stop: async () => {
      stopping.abort();
      await child.stop();
      await watched;
    },
  };

  async function keepAlive(url: string): Promise<void> {
    let killedAt = Number.NEGATIVE_INFINITY;
    for (let answeredAt = performance.now(); !stopping.signal.aborted; ) {
      await pause(liveness.everyMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (!isRunning || (await answers(url, liveness.everyMs))) answeredAt = performance.now();
      const now = performance.now();
      const isDue = now - answeredAt >= liveness.silentMs && now - killedAt >= liveness.apartMs;
      if (!isDue || !isRunning || stopping.signal.aborted) continue;
      events.silent?.(spec.name, Math.round((now - answeredAt) / MS_PER_SECOND));
      child.kill();
      [answeredAt, killedAt] = [now, now];
    }
  }

  async function keepRunning(): Promise<void> {
    const ends: number[] = [];
    let { reason } = await child.exited;
    for (;;) {
      isRunning = false;
      if (stopping.signal.aborted) return;
      const now = performance.now();
      ends.push(now);
      const recent = ends.filter((at) => now - at < policy.windowMs).length;
      if (recent >= policy.maxEnds) return events.gaveUp(spec.name, reason);
      events.ended(spec.name, reason);
      await pause(policy.backoffMs * 2 ** (recent - 1), undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      try {
        child = await launch(spec);
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
        continue;
      }
      isRunning = true;
      if (stopping.signal.aborted) await child.stop();
      else events.restarted(spec.name, child.pid);
      ({ reason } = await child.exited);
    }
  }
}

async function answers(url: string, withinMs: number): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(withinMs) })).ok;
  } catch {
    return false;
  }
}
