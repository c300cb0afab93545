import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchContext } from '../frame/bench.ts';
import { startTaskProcess, type TaskProcess } from '../frame/task-process.ts';
import type { ClientTasks } from './client-main.ts';
import type { Submitter } from './requests.ts';

export type Client = TaskProcess<ClientTasks>;

/** Starts a process with clients of the server at a port; it ends with the bench. Only submissions need `submitters`. */
export async function startClient(
  context: BenchContext,
  port: number,
  submitters?: readonly Submitter[],
): Promise<Client> {
  const args = [String(port)];
  if (submitters !== undefined) {
    const file = join(context.dataDir, `submitters-${port}.json`);
    await writeFile(file, JSON.stringify(submitters));
    args.push(file);
  }
  return startTaskProcess<ClientTasks>(context, new URL('client-main.ts', import.meta.url), args);
}
