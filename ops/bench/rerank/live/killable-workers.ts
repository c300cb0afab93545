import { freePort } from '../../../local/free-port.ts';
import type { BenchContext } from '../../frame/bench.ts';
import { peakBytes } from '../../frame/cpu-time.ts';
import { type BenchProcess, startProduct } from '../../frame/service/start-service.ts';
import type { Chance } from '../../scan/corpus/chance.ts';

/** Starts workers that are killed and restarted. */
export async function startKillableWorkers(
  context: BenchContext,
  count: number,
  env: Readonly<Record<string, string>>,
) {
  const alive = new Set<BenchProcess>();
  const starting = new Set<Promise<unknown>>();
  const start = async (): Promise<void> => {
    // A worker serves its metrics at METRICS_PORT + 1.
    const METRICS_PORT = String((await freePort()) - 1);
    alive.add(await startProduct(context, 'worker', { ...env, METRICS_PORT }));
  };
  // Waits for workers that are still starting.
  context.onClose(() => Promise.allSettled(starting));
  for (let index = 0; index < count; index++) await start();
  return {
    /** Kills a random running worker (SIGKILL), and starts another. When none is running, waits for the next. */
    async kill(chance: Chance): Promise<void> {
      while (alive.size === 0) await Promise.race(starting);
      const victim = [...alive][chance.integer(0, alive.size - 1)]!;
      alive.delete(victim);
      process.kill(victim.pid, 'SIGKILL');
      await victim.exited;
      const started: Promise<unknown> = start().finally(() => starting.delete(started));
      starting.add(started);
    },
    /** Waits until all are ready. */
    ready: () => Promise.all(starting),
    /** Maximum peak memory of the running workers, in bytes. */
    peak: async () => Math.max(...(await Promise.all([...alive].map(({ pid }) => peakBytes(pid))))),
  };
}
