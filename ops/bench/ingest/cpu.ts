import { readFileSync } from 'node:fs';

/** The kernel counts in ticks of this many microseconds: a hundred a second, fixed for programs. */
const TICK_US = 10_000;

/** Places of user and system time among the fields of a stat file that follow the program's name. */
const USER_FIELD = 11;
const SYSTEM_FIELD = 12;

/** CPU time in microseconds: of a process's first thread, and of its others and the processes that it started. */
export interface ProcessCpu {
  readonly main: number;
  readonly others: number;
}

/** CPU time that a process has used so far. Throws where the system does not tell. */
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
