import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { cpuSeconds } from '../frame/cpu-time.ts';

/** How often a running process is looked at, in milliseconds. */
const LOOK_MS = 5;

/** What a process printed and what it took. */
export interface ProcessRun {
  readonly stdout: string;
  /** From start to end, in seconds. */
  readonly seconds: number;
  /** CPU seconds, as last seen before it ended; NaN where that cannot be known. */
  readonly cpu: number;
  /** The most resident memory of the process itself, in bytes; NaN where that cannot be known. */
  readonly peakBytes: number;
}

/** Runs a program to its end in an environment of its own. Throws when it fails. */
export async function measureProcess(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProcessRun> {
  const startedAt = performance.now();
  const child = spawn(command, args, { env: { PATH: processPath(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => stdout.push(part));
  child.stderr.on('data', (part: Buffer) => stderr.push(part));
  let cpu = Number.NaN;
  let peakBytes = Number.NaN;
  const look = async (): Promise<void> => {
    if (child.pid === undefined) return;
    const [used, most] = await Promise.all([cpuSeconds(child.pid), peakOf(child.pid)]);
    if (!Number.isNaN(used)) cpu = used;
    if (!Number.isNaN(most)) peakBytes = most;
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearInterval(timer));
  const seconds = (performance.now() - startedAt) / 1000;
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${Buffer.concat(stderr).toString('utf8')}`);
  return { stdout: Buffer.concat(stdout).toString('utf8'), seconds, cpu, peakBytes };
}

/** The most resident memory of a process so far; its launcher's children count where it is one. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const own = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const peaks = await Promise.all(
    children
      .split(' ')
      .filter(Boolean)
      .map((child) => peakOf(Number(child))),
  );
  return Math.max(own, ...peaks.filter((peak) => !Number.isNaN(peak)));
}

/** The programs' own path, so that they find Node. */
function processPath(): string {
  return `${process.execPath.replace(/[\\/][^\\/]+$/, '')}:/usr/local/bin:/usr/bin:/bin`;
}
