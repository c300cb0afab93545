import { readFile } from 'node:fs/promises';

/** Clock ticks per second of CPU times in /proc; constant on Linux. */
const TICKS_PER_SECOND = 100;

/** CPU seconds, user and system, of a process and its children so far; NaN where unknown. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return Number.NaN;
  // The second field is the program's name in parentheses, which may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  const children = await Promise.all((await childrenOf(pid)).map(cpuSeconds));
  return children.filter((seconds) => !Number.isNaN(seconds)).reduce((sum, seconds) => sum + seconds, own);
}

/** Resident memory of a process and its children in bytes; NaN where unknown. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status ?? '')?.[1];
  if (kibibytes === undefined) return Number.NaN;
  const children = await Promise.all((await childrenOf(pid)).map(residentBytes));
  return children.filter((bytes) => !Number.isNaN(bytes)).reduce((sum, bytes) => sum + bytes, Number(kibibytes) * 1024);
}

/** Peak resident memory of a process without its children in bytes; NaN where unknown. */
export async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** Runs `run` and returns its value with the CPU seconds that each process used meanwhile. */
export async function withCpuTime<T>(
  pids: Readonly<Record<string, number>>,
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly cpu: Readonly<Record<string, number>> }> {
  const read = (): Promise<number[]> => Promise.all(Object.values(pids).map(cpuSeconds));
  const before = await read();
  const value = await run();
  const after = await read();
  const used = Object.keys(pids).map((name, index) => [name, after[index]! - before[index]!]);
  return { value, cpu: Object.fromEntries(used) };
}

/** Children count because engines run as children of a guard. */
async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return list.split(' ').filter(Boolean).map(Number);
}
