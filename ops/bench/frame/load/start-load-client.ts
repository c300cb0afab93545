import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../../bench.ts';
import { startTaskProcess } from '../task-process.ts';
import { type Load, LoadResult } from './load-messages.ts';

const PROGRAM = fileURLToPath(new URL('client-main.ts', import.meta.url));

/** Runs loads against servers, one after another, in a separate process. */
export interface LoadClient {
  readonly pid: number;
  /** @throws when the client exits before it replies. */
  run(load: Load): Promise<LoadResult>;
}

/** Starts a load client; it ends with the bench. */
export async function startLoadClient(context: BenchContext): Promise<LoadClient> {
  const client = await startTaskProcess<Load, unknown>(context, PROGRAM);
  return { pid: client.pid, run: async (load) => LoadResult.parse(await client.request(load)) };
}

/** The text of a GET request. */
export function getRequest(path: string, port: number, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ Host: `localhost:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
