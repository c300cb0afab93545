import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import { startTaskProcess } from '../frame/task-process.ts';

const PROGRAM = fileURLToPath(new URL('commit-main.ts', import.meta.url));

/** What one piece of work took, in milliseconds: of the clock, and of CPU time of the committer and MongoDB together. */
export interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** What a field's process can be told to do; to end is the last of it. */
export interface PopulationTask {
  readonly kind: 'commit' | 'compact' | 'collectGarbage' | 'end';
}

/** What a piece of work took, and how many parts of the board it deleted. */
export interface Work {
  readonly cost: Cost;
  readonly parts: number;
}

/** How long the field took to be loaded, and resident memory after all of the work. */
export interface PopulationEnd {
  readonly seedMs: number;
  readonly committerBytes: number;
}

export type PopulationReply = Work | PopulationEnd;

/** A field of operators in a database of its own, with a committer in a process of its own. */
export interface PopulationProcess {
  readonly operators: number;
  work(kind: 'commit' | 'compact' | 'collectGarbage'): Promise<Work>;
  end(): Promise<PopulationEnd>;
}

/** Seeds a field, which may take minutes. `changes` operators are changed for each commit. */
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
      const told = await child.ask({ kind });
      if (!('cost' in told)) throw new Error('the field answered another task');
      return told;
    },
    async end() {
      const told = await child.ask({ kind: 'end' });
      if ('cost' in told) throw new Error('the field answered another task');
      return told;
    },
  };
}
