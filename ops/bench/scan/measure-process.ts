import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { cpuSeconds } from '../frame/cpu-time.ts';

/** Sampling interval of a running process, in milliseconds. */
const LOOK_MS = 5;

/** Output and costs of a process. */
export interface ProcessRun {
  readonly stdout: string;
  /** From start to end, in seconds. */
  readonly seconds: number;
  /** CPU seconds at the last sample before its exit; NaN where unknown. */
  readonly cpu: number;
  /** Peak resident memory of the process in bytes; NaN where unknown. */
  readonly peakBytes: number;
}

/** Runs a program to its end in the given environment. @throws when it fails. */
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

/** Peak resident memory of a process so far; includes its children, since it may be a launcher. */
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

/** A PATH on which programs find Node. */
function processPath(): string {
  return `${process.execPath.replace(/[\\/][^\\/]+$/, '')}:/usr/local/bin:/usr/bin:/bin`;
}
