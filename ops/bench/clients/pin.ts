import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** One core for servers, one for load clients: a process that waits for a core measures the scheduler. */
const CORES = { servers: '0', clients: '1', all: '0,1' } as const;

/** Lets every thread of a process and of its children run on these cores alone, which are named as `taskset` takes them. */
export async function pin(pid: number, cores: string): Promise<void> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
  for (const one of [String(pid), ...children]) await promisify(execFile)('taskset', ['-a', '-c', '-p', cores, one]);
}

interface Pinned {
  readonly pid: number;
}

/** Runs `measure` while servers have one core, and load clients another. */
export async function onSeparateCores<T>(
  servers: readonly Pinned[],
  loadClients: readonly Pinned[],
  measure: () => Promise<T>,
): Promise<T> {
  for (const { pid } of servers) await pin(pid, CORES.servers);
  for (const { pid } of loadClients) await pin(pid, CORES.clients);
  try {
    return await measure();
  } finally {
    for (const { pid } of [...servers, ...loadClients]) await pin(pid, CORES.all);
  }
}
