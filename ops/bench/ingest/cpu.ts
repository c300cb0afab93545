import { readFileSync } from 'node:fs';

/** Microseconds per clock tick of CPU times in /proc; constant on Linux. */
const TICK_US = 10_000;

/** Indexes of user and system time among the fields after the program's name. */
const USER_FIELD = 11;
const SYSTEM_FIELD = 12;

/** CPU time in microseconds: of a process's main thread, and of its other threads and child processes. */
export interface ProcessCpu {
  readonly main: number;
  readonly others: number;
}

/** CPU time that a process has used so far. @throws on systems without /proc. */
export function processCpu(pid: number): ProcessCpu {
  const main = read(`/proc/${pid}/task/${pid}/stat`);
  let others = read(`/proc/${pid}/stat`) - main;
  for (const child of childrenOf(pid)) {
    const { main: first, others: rest } = processCpu(child);
    others += first + rest;
  }
  return { main, others };
}

function read(statFile: string): number {
  const text = readFileSync(statFile, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_FIELD]) + Number(fields[SYSTEM_FIELD])) * TICK_US;
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}
