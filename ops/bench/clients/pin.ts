import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Lets every thread of a process and of its children run on these cores alone, which are named as `taskset` takes them. */
export async function pin(pid: number, cores: string): Promise<void> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
  for (const one of [String(pid), ...children]) await promisify(execFile)('taskset', ['-a', '-c', '-p', cores, one]);
}
