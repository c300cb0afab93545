import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../../bench.ts';
import { type Load, LoadResult } from './load-messages.ts';

const PROGRAM = fileURLToPath(new URL('client-main.ts', import.meta.url));

/** Puts loads on servers, one after the other, from a process of its own. */
export interface LoadClient {
  readonly pid: number;
  /** Throws when the client ends before it answers. */
  run(load: Load): Promise<LoadResult>;
}

/** Starts a load client; it ends with the bench. */
export async function startLoadClient(context: BenchContext): Promise<LoadClient> {
  const child = fork(PROGRAM, [], { execArgv: ['--import', 'tsx'] });
  const exited = once(child, 'exit');
  context.onClose(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  await nextMessage(child);
  return {
    pid: child.pid ?? 0,
    async run(load) {
      const answer = nextMessage(child);
      child.send(load);
      return LoadResult.parse(await answer);
    },
  };
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (status: number | null): void => reject(new Error(`the load client ended with status ${status}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}

/** A GET request as it goes over the wire. */
export function getRequest(path: string, port: number, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ Host: `localhost:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
