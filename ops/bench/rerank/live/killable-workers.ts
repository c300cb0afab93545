import { freePort } from '../../../local/free-port.ts';
import type { BenchContext } from '../../frame/bench.ts';
import { peakBytes } from '../../frame/cpu-time.ts';
import { type BenchProcess, startBenchWorker } from '../../frame/service/start-service.ts';

/** Workers that are killed and restarted. */
export interface KillableWorkers {
  /**
   * Kills a running worker (SIGKILL), chosen by `chance` in [0, 1), and starts another. When none is running, waits for the
   * next.
   */
  kill(chance: number): Promise<void>;
  /** Waits until all are ready. */
  ready(): Promise<void>;
  /** Maximum peak memory of the running workers, in bytes. */
  peak(): Promise<number>;
}

export async function startKillableWorkers(
  context: BenchContext,
  count: number,
  env: Readonly<Record<string, string>>,
): Promise<KillableWorkers> {
  const alive = new Set<BenchProcess>();
  const starting = new Set<Promise<unknown>>();
  const start = async (): Promise<void> => {
    // A worker serves its metrics at METRICS_PORT + 1.
    alive.add(await startBenchWorker(context, { ...env, METRICS_PORT: String((await freePort()) - 1) }));
  };
  // Waits for workers that are still starting.
  context.onClose(() => Promise.allSettled(starting));
  for (let index = 0; index < count; index++) await start();
  return {
    async kill(chance) {
      while (alive.size === 0) await Promise.race(starting);
      const victims = [...alive];
      const victim = victims[Math.floor(chance * victims.length)];
      if (victim === undefined) throw new Error('no worker is running');
      alive.delete(victim);
      process.kill(victim.pid, 'SIGKILL');
      await victim.exited;
      const started: Promise<unknown> = start().finally(() => starting.delete(started));
      starting.add(started);
    },
    async ready() {
      await Promise.all(starting);
    },
    async peak() {
      return Math.max(...(await Promise.all([...alive].map(({ pid }) => peakBytes(pid)))));
    },
  };
}
