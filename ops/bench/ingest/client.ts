import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../frame/bench.ts';
import { startTaskProcess, type TaskProcess, writeForProcess } from '../frame/task-process.ts';
import type { BenchOperator } from './bench-operator.ts';
import type { ClientTasks } from './client-main.ts';

const PROGRAM = fileURLToPath(new URL('client-main.ts', import.meta.url));

/** The process that runs all clients. */
export type Client = TaskProcess<ClientTasks>;

export async function startClient(
  context: BenchContext,
  operators: readonly BenchOperator[],
  baseUrl: string,
): Promise<Client> {
  const file = await writeForProcess(context, 'operators.json', operators);
  return startTaskProcess(context, PROGRAM, [file, baseUrl]);
}
