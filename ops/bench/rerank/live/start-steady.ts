import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../../bench.ts';
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
  const file = `${context.dataDir}/steady-operators.json`;
  await writeFile(file, JSON.stringify(operators));
  const child = fork(PROGRAM, [file, baseUrl], { execArgv: ['--import', 'tsx'] });
  context.onClose(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child, 'message');
  const send = (command: SteadyCommand): void => void child.send(command);
  const ask = (command: SteadyCommand): Promise<SteadyReport> =>
    new Promise((resolve, reject) => {
      const gone = (status: number | null): void => reject(new Error(`the clients ended with status ${status}`));
      child.once('exit', gone);
      child.once('message', (report: SteadyReport) => {
        child.off('exit', gone);
        resolve(report);
      });
      send(command);
    });
  return {
    begin: (perSecond, connections) => send({ kind: 'begin', perSecond, connections }),
    take: () => ask({ kind: 'take' }),
    end: () => ask({ kind: 'end' }),
  };
}
