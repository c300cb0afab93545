import { readFile } from 'node:fs/promises';
import { sum } from './statistics.ts';

/** Clock ticks per second of CPU times in /proc; constant on Linux. */
const TICKS_PER_SECOND = 100;

/** CPU seconds, user and system, of a process and its children so far; NaN where unknown. */
export async function cpuSeconds(pid: number): Promise<number> {
  return sum(await readTree(pid, (one) => secondsIn(`/proc/${one}/stat`)));
}

/** CPU seconds of a process's main thread so far; NaN where unknown. */
export function mainThreadSeconds(pid: number): Promise<number> {
  return secondsIn(`/proc/${pid}/task/${pid}/stat`);
}

/** Resident memory of a process and its children in bytes; NaN where unknown. */
export async function residentBytes(pid: number): Promise<number> {
  return sum(await readTree(pid, (one) => memoryOf(one, 'VmRSS')));
}

/** The highest peak of resident memory among a process and its children in bytes; NaN where unknown. */
export async function peakBytes(pid: number): Promise<number> {
  return Math.max(...(await readTree(pid, (one) => memoryOf(one, 'VmHWM'))));
}

/** Runs `run` and returns its value with the CPU seconds, as `read` gives them, that each process used meanwhile. */
export async function withCpuTime<T>(
  pids: Readonly<Record<string, number>>,
  run: () => Promise<T>,
  read: (pid: number) => Promise<number> = cpuSeconds,
): Promise<{ readonly value: T; readonly cpu: Readonly<Record<string, number>> }> {
  const readAll = (): Promise<number[]> => Promise.all(Object.values(pids).map(read));
  const before = await readAll();
  const value = await run();
  const after = await readAll();
  const used = Object.keys(pids).map((name, index) => [name, after[index]! - before[index]!]);
  return { value, cpu: Object.fromEntries(used) };
}

async function secondsIn(statFile: string): Promise<number> {
  const stat = await readFile(statFile, 'utf8').catch(() => '');
  // The second field is the program's name in parentheses, which may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** Reads a process and its children: engines run as children of a guard. Omits children that have ended meanwhile. */
async function readTree(pid: number, read: (pid: number) => Promise<number>): Promise<readonly number[]> {
  const own = await read(pid);
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = list.split(' ').filter(Boolean).map(Number);
  const values = (await Promise.all(children.map((child) => readTree(child, read)))).flat();
  return [own, ...values.filter((value) => !Number.isNaN(value))];
}
