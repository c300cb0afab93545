import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import { startTaskProcess, writeForProcess } from '../frame/task-process.ts';
import type { BenchOperator } from './bench-operator.ts';
import type {
  ClientReply,
  ClientTask,
  IntroduceTask,
  LoadResult,
  LoadTask,
  SignTask,
  VerifyResult,
} from './client-tasks.ts';

const PROGRAM = fileURLToPath(new URL('client-main.ts', import.meta.url));

/** The process that runs all clients. */
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
  const file = await writeForProcess(context, 'operators.json', operators);
  const client = await startTaskProcess<ClientTask, ClientReply>(context, PROGRAM, [file, baseUrl]);
  const resultOf = async (task: ClientTask): Promise<ClientReply['result']> => (await client.request(task)).result;
  return {
    pid: client.pid,
    async sign(task) {
      await resultOf({ kind: 'sign', ...task });
    },
    async introduce(task) {
      await resultOf({ kind: 'introduce', ...task });
    },
    async verify(seconds) {
      const result = await resultOf({ kind: 'verify', seconds });
      if (typeof result === 'number' || !('perSecond' in result))
        throw new Error('the client process replied to another task');
      return result;
    },
    async load(task) {
      const result = await resultOf({ kind: 'load', ...task });
      if (typeof result === 'number' || !('accepted' in result))
        throw new Error('the client process replied to another task');
      return result;
    },
  };
}
