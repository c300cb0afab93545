import { freePort } from '../../../local/free-port.ts';
import type { BenchContext } from '../../bench.ts';
import { peakBytes } from '../../frame/cpu-time.ts';
import { type BenchProcess, startBenchWorker } from '../../frame/service/start-service.ts';

/** Workers that are killed and started again. */
export interface MortalWorkers {
  /**
   * Kills one (−9), whichever `chance` in [0, 1) names among those that live, and starts another in its place. Where none
   * lives it is the next that does.
   */
  kill(chance: number): Promise<void>;
  /** Waits until all of them work. */
  ready(): Promise<void>;
  /** Most memory that one of those that live ever had, in bytes. */
  peak(): Promise<number>;
}

export async function startMortalWorkers(
  context: BenchContext,
  count: number,
  env: Readonly<Record<string, string>>,
): Promise<MortalWorkers> {
  const alive = new Set<BenchProcess>();
  const starting = new Set<Promise<unknown>>();
  const start = async (): Promise<void> => {
    // A worker serves its metrics at the port after it.
    alive.add(await startBenchWorker(context, { ...env, METRICS_PORT: String((await freePort()) - 1) }));
  };
  // A bench is not over while one is still starting.
  context.onClose(() => Promise.allSettled(starting));
  for (let index = 0; index < count; index++) await start();
  return {
    async kill(chance) {
      while (alive.size === 0) await Promise.race(starting);
      const victims = [...alive];
      const victim = victims[Math.floor(chance * victims.length)];
      if (victim === undefined) throw new Error('no worker is alive');
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
