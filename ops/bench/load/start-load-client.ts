import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import type { BenchOperator } from '../ingest/bench-operator.ts';
import type { LoadReport, LoadTask } from './load-tasks.ts';

const PROGRAM = fileURLToPath(new URL('load-client-main.ts', import.meta.url));

/** The process that plays all clients. */
export interface LoadClient {
  run(task: LoadTask): Promise<LoadReport>;
}

export async function startLoadClient(
  context: BenchContext,
  operators: readonly BenchOperator[],
  baseUrl: string,
): Promise<LoadClient> {
  const file = `${context.dataDir}/load-operators.json`;
  await writeFile(file, JSON.stringify(operators));
  const child = fork(PROGRAM, [file, baseUrl], { execArgv: ['--import', 'tsx'] });
  context.onClose(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child, 'message');
  return { run: (task) => ask(child, task) };
}

function ask(child: ChildProcess, task: LoadTask): Promise<LoadReport> {
  return new Promise((resolve, reject) => {
    const ended = (status: number | null): void => reject(new Error(`the clients ended with status ${status}`));
    child.once('exit', ended);
    child.once('message', (report: LoadReport) => {
      child.off('exit', ended);
      resolve(report);
    });
    child.send(task);
  });
}
