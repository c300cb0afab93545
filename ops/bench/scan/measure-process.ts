import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { cpuSeconds, peakBytes } from '../frame/cpu-time.ts';

/** Sampling interval of a running process, in milliseconds. */
const LOOK_MS = 5;

/** Output and costs of a process. */
export interface ProcessRun {
  readonly stdout: string;
  /** From start to end, in seconds. */
  readonly seconds: number;
  /** CPU seconds at the last sample before its exit; NaN where unknown. */
  readonly cpu: number;
  /** Peak resident memory of the process, or of a child if it is a launcher, in bytes; NaN where unknown. */
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
  let [cpu, peak] = [Number.NaN, Number.NaN];
  const look = async (): Promise<void> => {
    if (child.pid === undefined) return;
    const [used, most] = await Promise.all([cpuSeconds(child.pid), peakBytes(child.pid)]);
    if (!Number.isNaN(used)) cpu = used;
    if (!Number.isNaN(most)) peak = most;
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const [stdout, stderr, [status]] = await ended.finally(() => clearInterval(timer));
  const seconds = (performance.now() - startedAt) / 1000;
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return { stdout, seconds, cpu, peakBytes: peak };
}

/** A PATH on which programs find Node. */
function processPath(): string {
  return `${process.execPath.replace(/[\\/][^\\/]+$/, '')}:/usr/local/bin:/usr/bin:/bin`;
}
