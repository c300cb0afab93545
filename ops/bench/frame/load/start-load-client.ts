import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import { startTaskProcess, type TaskProcess } from '../task-process.ts';
import type { ReadTasks } from './client-main.ts';

const PROGRAM = fileURLToPath(new URL('client-main.ts', import.meta.url));

/** Starts a process that runs loads against servers, one after another; it ends with the bench. */
export function startLoadClient(context: BenchContext): Promise<TaskProcess<ReadTasks>> {
  return startTaskProcess(context, PROGRAM);
}

/** The text of a GET request. */
export function getRequest(path: string, port: number): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
}
