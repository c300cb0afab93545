import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import { startTaskProcess, type TaskProcess, writeForProcess } from '../frame/task-process.ts';
import type { BenchOperator } from '../ingest/bench-operator.ts';
import type { LoadReport, LoadTask } from './load-tasks.ts';

const PROGRAM = fileURLToPath(new URL('load-client-main.ts', import.meta.url));

/** The process that runs all clients. */
export type LoadClient = TaskProcess<LoadTask, LoadReport>;

export async function startLoadClient(
  context: BenchContext,
  operators: readonly BenchOperator[],
  baseUrl: string,
): Promise<LoadClient> {
  const file = await writeForProcess(context, 'load-operators.json', operators);
  return startTaskProcess(context, PROGRAM, [file, baseUrl]);
}
