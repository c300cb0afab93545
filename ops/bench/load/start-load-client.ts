import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../frame/bench.ts';
import { startTaskProcess, type TaskProcess, writeForProcess } from '../frame/task-process.ts';
import type { BenchOperator } from '../ingest/bench-operator.ts';
import type { LoadTasks } from './load-client-main.ts';
import type { LoadReport, LoadShape } from './load-tasks.ts';

const PROGRAM = fileURLToPath(new URL('load-client-main.ts', import.meta.url));

/** The process that runs all clients. */
export type LoadClient = TaskProcess<LoadTasks>;

export async function startLoadClient(
  context: BenchContext,
  operators: readonly BenchOperator[],
  baseUrl: string,
): Promise<LoadClient> {
  const file = await writeForProcess(context, 'load-operators.json', operators);
  return startTaskProcess(context, PROGRAM, [file, baseUrl]);
}

/** Runs a load for its time. */
export async function runLoad(client: LoadClient, load: LoadShape): Promise<LoadReport> {
  await client.request('begin', load);
  return client.request('end', undefined);
}
