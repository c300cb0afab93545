import { readFile } from 'node:fs/promises';
import { sum } from './statistics.ts';

/** Clock ticks per second of CPU times in /proc; constant on Linux. */
const TICKS_PER_SECOND = 100;

/** What some work takes in milliseconds: wall-clock time, and CPU time of all processes that do it. */
export interface Costs {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** CPU seconds, user and system, of a process and its children so far; NaN where unknown. */
export async function cpuSeconds(pid: number): Promise<number> {
  return sum(await readTree(pid, (one) => secondsIn(`/proc/${one}/stat`)));
}

/** Resident memory of a process and its children in bytes; NaN where unknown. */
export async function residentBytes(pid: number): Promise<number> {
  return sum(await readTree(pid, (one) => memoryOf(one, 'VmRSS')));
}

/** The highest peak of resident memory among a process and its children in bytes; NaN where unknown. */
export async function peakBytes(pid: number): Promise<number> {
  return Math.max(...(await readTree(pid, (one) => memoryOf(one, 'VmHWM'))));
}

/** Runs `run` and returns its value with the CPU seconds that each process and its children used meanwhile. */
export async function withCpuTime<T>(
  pids: readonly number[],
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly cpu: readonly number[] }> {
  const before = await Promise.all(pids.map(cpuSeconds));
  const value = await run();
  const after = await Promise.all(pids.map(cpuSeconds));
  return { value, cpu: after.map((seconds, index) => seconds - before[index]!) };
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
