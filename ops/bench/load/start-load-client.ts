import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import { startTaskProcess, writeForProcess } from '../frame/task-process.ts';
import type { BenchOperator } from '../ingest/bench-operator.ts';
import type { LoadReport, LoadShape, LoadTask } from './load-tasks.ts';

const PROGRAM = fileURLToPath(new URL('load-client-main.ts', import.meta.url));

/** The process that runs all clients. */
export type LoadClient = Awaited<ReturnType<typeof startLoadClient>>;

export async function startLoadClient(context: BenchContext, operators: readonly BenchOperator[], baseUrl: string) {
  const file = await writeForProcess(context, 'load-operators.json', operators);
  const clients = await startTaskProcess<LoadTask, LoadReport>(context, PROGRAM, [file, baseUrl]);
  const begin = (load: LoadShape): void => clients.send({ kind: 'begin', ...load });
  const end = (): Promise<LoadReport> => clients.request({ kind: 'end' });
  return {
    /** Starts a load without an end. */
    begin: (load: Omit<LoadShape, 'seconds'>) => begin({ ...load, seconds: null }),
    /** Reports the submissions that were due since the last call, or since the load began. */
    take: (): Promise<LoadReport> => clients.request({ kind: 'take' }),
    /** Stops the load, waits for all responses, and reports the rest. */
    end,
    /** Runs a load for its time. */
    run(load: LoadShape): Promise<LoadReport> {
      begin(load);
      return end();
    },
  };
}
