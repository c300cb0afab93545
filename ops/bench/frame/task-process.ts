import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchContext } from '../bench.ts';

/** A process of a bench that runs tasks received over IPC, one after another. */
export interface TaskProcess<Task extends object, Reply> {
  readonly pid: number;
  /** Sends a task without waiting. */
  send(task: Task): void;
  /** Sends a task and returns the next message. @throws when the process exits first. */
  request(task: Task): Promise<Reply>;
}

/** Starts a task process, which sends a first message when it is ready; it ends with the bench. */
export async function startTaskProcess<Task extends object, Reply>(
  context: BenchContext,
  program: string,
  args: readonly string[] = [],
): Promise<TaskProcess<Task, Reply>> {
  const child = fork(program, args, { execArgv: ['--import', 'tsx'] });
  const exited = once(child, 'exit');
  context.onClose(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const nextMessage = (): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const onExit = (status: number | null): void =>
        reject(new Error(`a process of the bench ended with status ${status}`));
      child.once('exit', onExit);
      child.once('message', (reply: Reply) => {
        child.off('exit', onExit);
        resolve(reply);
      });
    });
  await nextMessage();
  return {
    pid: child.pid ?? 0,
    send: (task) => void child.send(task),
    request(task) {
      const reply = nextMessage();
      child.send(task);
      return reply;
    },
  };
}

/** Writes the input file of a client process and returns its path. */
export async function writeForProcess(context: BenchContext, name: string, content: unknown): Promise<string> {
  const file = join(context.dataDir, name);
  await writeFile(file, JSON.stringify(content));
  return file;
}
