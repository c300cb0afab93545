import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { childProgram } from './child-programs.ts';
import type { FreshDatabase } from './engines.ts';

/** Worker processes whose clocks stand still until they are set. */
export interface ClockedWorkers {
  /** Sets every worker's clock; resolves when all have set it. */
  setClock(now: number): Promise<void>;
  /** Kills a worker and starts another. */
  replace(index: number): Promise<void>;
  close(): Promise<void>;
}

export async function startClockedWorkers(
  count: number,
  { mongoUrl, redisUrl, prefix }: FreshDatabase,
  start: number,
  rangeOperators?: number,
): Promise<ClockedWorkers> {
  let now = start;
  const ranges = rangeOperators === undefined ? [] : [String(rangeOperators)];
  const program = await childProgram('clockedWorker');
  const startOne = (): ChildProcess =>
    fork(program, [mongoUrl, redisUrl, prefix, String(now), ...ranges], { execArgv: [] });
  const children = Array.from({ length: count }, startOne);
  await Promise.all(children.map(ready));
  let asked = 0;
  return {
    async replace(index) {
      const killed = children[index]!;
      killed.kill('SIGKILL');
      await once(killed, 'exit');
      const other = startOne();
      children[index] = other;
      await ready(other);
    },
    async setClock(next) {
      now = next;
      asked += 1;
      const ask = asked;
      const answers = children.map((child) => answerOf(child, (message) => message.answer === ask));
      for (const child of children) child.send({ now: next, ask });
      await Promise.all(answers);
    },
    async close() {
      await Promise.all(
        children.map(async (child) => {
          if (child.exitCode !== null) return;
          child.kill('SIGTERM');
          await once(child, 'exit');
        }),
      );
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return answerOf(child, (message) => message.type === 'ready');
}

function answerOf(
  child: ChildProcess,
  wanted: (message: { readonly type?: string; readonly answer?: number }) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onExit = (status: number | null): void => reject(new Error(`a worker ended with status ${status}`));
    const onMessage = (message: { readonly type?: string; readonly answer?: number }): void => {
      if (!wanted(message)) return;
      child.off('exit', onExit);
      child.off('message', onMessage);
      resolve();
    };
    child.on('exit', onExit);
    child.on('message', onMessage);
  });
}
