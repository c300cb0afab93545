import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../../bench.ts';
import { startTaskProcess, writeForProcess } from '../../frame/task-process.ts';
import type { BenchOperator } from '../../ingest/bench-operator.ts';
import type { SteadyCommand, SteadyReport } from './steady-messages.ts';

const PROGRAM = fileURLToPath(new URL('steady-main.ts', import.meta.url));

/** Clients that submit at a steady rate until they are told to end. */
export interface SteadyLoad {
  begin(perSecond: number, connections: number): void;
  /** What was due since the load began, or since the last call. */
  take(): Promise<SteadyReport>;
  /** The same, once everything that was sent is answered. */
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
    begin: (perSecond, connections) => clients.tell({ kind: 'begin', perSecond, connections }),
    take: () => clients.ask({ kind: 'take' }),
    end: () => clients.ask({ kind: 'end' }),
  };
}
