import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import { startTaskProcess } from '../frame/task-process.ts';

const PROGRAM = fileURLToPath(new URL('commit-main.ts', import.meta.url));

/** Cost of one task in milliseconds: wall-clock time, and CPU time of the committer and MongoDB together. */
export interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** A task for a population's process; `end` is the last. */
export interface PopulationTask {
  readonly kind: 'commit' | 'compact' | 'collectGarbage' | 'end';
}

/** Cost of a task and the number of board parts that it deleted. */
export interface Work {
  readonly cost: Cost;
  readonly parts: number;
}

/** Time to seed the population, and resident memory at the end. */
export interface PopulationEnd {
  readonly seedMs: number;
  readonly committerBytes: number;
}

export type PopulationReply = Work | PopulationEnd;

/** A population in a separate database, with a committer in a separate process. */
export interface PopulationProcess {
  readonly operators: number;
  work(kind: 'commit' | 'compact' | 'collectGarbage'): Promise<Work>;
  end(): Promise<PopulationEnd>;
}

/** Seeds a population, which may take minutes. `changes` operators are changed per commit. */
export async function startPopulation(
  context: BenchContext,
  operators: number,
  changes: number,
): Promise<PopulationProcess> {
  const { mongoUrl, pids } = await context.engines();
  const url = new URL(mongoUrl);
  url.pathname += `-${operators}`;
  const args = [url.href, pids.mongo ?? 0, operators, changes].map(String);
  const child = await startTaskProcess<PopulationTask, PopulationReply>(context, PROGRAM, args);
  return {
    operators,
    async work(kind) {
      const reply = await child.request({ kind });
      if (!('cost' in reply)) throw new Error('the population process replied to another task');
      return reply;
    },
    async end() {
      const reply = await child.request({ kind: 'end' });
      if ('cost' in reply) throw new Error('the population process replied to another task');
      return reply;
    },
  };
}
