import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../frame/bench.ts';
import { startTaskProcess, type TaskProcess } from '../frame/task-process.ts';
import type { PopulationTasks } from './commit-main.ts';

const PROGRAM = fileURLToPath(new URL('commit-main.ts', import.meta.url));

/** A population in a separate database, with a committer in a separate process. */
export interface PopulationProcess extends TaskProcess<PopulationTasks> {
  readonly operators: number;
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
  return { operators, ...(await startTaskProcess<PopulationTasks>(context, PROGRAM, args)) };
}
