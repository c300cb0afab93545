import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchContext } from '../bench.ts';

/** A process of a bench's own, clients of the service or else, that does what it is told over IPC, one thing after the other. */
export interface TaskProcess<Task extends object, Answer> {
  readonly pid: number;
  tell(task: Task): void;
  /** Tells it a task and waits for its next message. Throws when the process ends before that. */
  ask(task: Task): Promise<Answer>;
}

/** Starts such a process, which announces itself with a first message; it ends with the bench. */
export async function startTaskProcess<Task extends object, Answer>(
  context: BenchContext,
  program: string,
  args: readonly string[] = [],
): Promise<TaskProcess<Task, Answer>> {
  const child = fork(program, args, { execArgv: ['--import', 'tsx'] });
  const exited = once(child, 'exit');
  context.onClose(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const nextMessage = (): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const onExit = (status: number | null): void =>
        reject(new Error(`a process of the bench ended with status ${status}`));
      child.once('exit', onExit);
      child.once('message', (answer: Answer) => {
        child.off('exit', onExit);
        resolve(answer);
      });
    });
  await nextMessage();
  return {
    pid: child.pid ?? 0,
    tell: (task) => void child.send(task),
    ask(task) {
      const answer = nextMessage();
      child.send(task);
      return answer;
    },
  };
}

/** Writes what a client process is to read when it starts; answers the file's name. */
export async function writeForProcess(context: BenchContext, name: string, content: unknown): Promise<string> {
  const file = join(context.dataDir, name);
  await writeFile(file, JSON.stringify(content));
  return file;
}
