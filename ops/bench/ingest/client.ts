import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import type { BenchOperator } from './bench-operator.ts';
import type {
  ClientAnswer,
  ClientTask,
  IntroduceTask,
  LoadResult,
  LoadTask,
  SignTask,
  VerifyResult,
} from './client-tasks.ts';

const PROGRAM = fileURLToPath(new URL('client-main.ts', import.meta.url));

/** The process that plays all clients. */
export interface Client {
  readonly pid: number;
  sign(task: Omit<SignTask, 'kind'>): Promise<void>;
  introduce(task: Omit<IntroduceTask, 'kind'>): Promise<void>;
  verify(seconds: number): Promise<VerifyResult>;
  load(task: Omit<LoadTask, 'kind'>): Promise<LoadResult>;
}

export async function startClient(
  context: BenchContext,
  operators: readonly BenchOperator[],
  baseUrl: string,
): Promise<Client> {
  const file = `${context.dataDir}/operators.json`;
  await writeFile(file, JSON.stringify(operators));
  const child = fork(PROGRAM, [file, baseUrl], { execArgv: ['--import', 'tsx'] });
  context.onClose(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    async sign(task) {
      await ask(child, { kind: 'sign', ...task });
    },
    async introduce(task) {
      await ask(child, { kind: 'introduce', ...task });
    },
    async verify(seconds) {
      const result = await ask(child, { kind: 'verify', seconds });
      if (typeof result === 'number' || !('perSecond' in result)) throw new Error('the client answered another task');
      return result;
    },
    async load(task) {
      const result = await ask(child, { kind: 'load', ...task });
      if (typeof result === 'number' || !('accepted' in result)) throw new Error('the client answered another task');
      return result;
    },
  };
}

function ask(child: ChildProcess, task: ClientTask): Promise<ClientAnswer['result']> {
  return new Promise((resolve, reject) => {
    const ended = (status: number | null): void => reject(new Error(`the client ended with status ${status}`));
    child.once('exit', ended);
    child.once('message', (answer: ClientAnswer) => {
      child.off('exit', ended);
      resolve(answer.result);
    });
    child.send(task);
  });
}
