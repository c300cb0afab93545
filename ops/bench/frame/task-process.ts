import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BenchContext } from './bench.ts';

/** The tasks of a process by kind: functions of one input, which travels as JSON like their result. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>;

type Input<Task extends (input: never) => unknown> = Parameters<Task>[0];
type Result<Task extends (input: never) => unknown> = Awaited<ReturnType<Task>>;

/** A process of a bench that runs tasks received over IPC, one after another. */
export interface TaskProcess<Served extends Tasks> {
  readonly pid: number;
  /** Requests a task and waits for its result. @throws when the process exits first. */
  request<Kind extends keyof Served & string>(kind: Kind, input: Input<Served[Kind]>): Promise<Result<Served[Kind]>>;
  /** Kills it. */
  stop(): Promise<unknown>;
}

/** Serves the tasks of the parent process, with which this one ends. An error ends this process. */
export function serveTasks(tasks: Tasks): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', ({ kind, input }: { readonly kind: string; readonly input: never }) => {
    void Promise.resolve(tasks[kind]!(input)).then((result) => process.send?.({ result }));
  });
  process.send?.({ type: 'ready' });
}

/** Starts a program that serves tasks, and waits until it does; it ends with the bench. */
export async function startTaskProcess<Served extends Tasks>(
  context: BenchContext,
  program: URL,
  args: readonly string[] = [],
  nodeArgs: readonly string[] = [],
): Promise<TaskProcess<Served>> {
  const child = fork(program, args, { execArgv: [...nodeArgs, '--import', 'tsx'] });
  const exited = once(child, 'exit');
  const stop = (): Promise<unknown> => {
    child.kill('SIGKILL');
    return exited;
  };
  context.onClose(stop);
  const ended = exited.then(([status]: unknown[]) => {
    throw new Error(`a process of the bench ended with status ${String(status)}`);
  });
  ended.catch(() => undefined);
  await Promise.race([once(child, 'message'), ended]);
  return {
    pid: child.pid ?? 0,
    stop,
    async request(kind, input) {
      const reply = once(child, 'message').then(([{ result }]) => result);
      child.send({ kind, input });
      return Promise.race([reply, ended]);
    },
  };
}
