import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../../bench.ts';
import { startTaskProcess, writeForProcess } from '../../frame/task-process.ts';
import type { BenchOperator } from '../../ingest/bench-operator.ts';
import type { SteadyCommand, SteadyReport } from './steady-messages.ts';

const PROGRAM = fileURLToPath(new URL('steady-main.ts', import.meta.url));

/** Clients that submit at a steady rate until `end`. */
export interface SteadyLoad {
  begin(perSecond: number, connections: number): void;
  /** Reports the submissions that were due since the last call, or since the load began. */
  take(): Promise<SteadyReport>;
  /** Stops the load, waits for all responses, and reports the rest. */
  end(): Promise<SteadyReport>;
}

export async function startSteadyLoad(
  context: BenchContext,
  operators: readonly BenchOperator[],
  baseUrl: string,
): Promise<SteadyLoad> {
  const file = await writeForProcess(context, 'steady-operators.json', operators);
  const clients = await startTaskProcess<SteadyCommand, SteadyReport>(context, PROGRAM, [file, baseUrl]);
  return {
    begin: (perSecond, connections) => clients.send({ kind: 'begin', perSecond, connections }),
    take: () => clients.request({ kind: 'take' }),
    end: () => clients.request({ kind: 'end' }),
  };
}
