import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../../ops/local/free-port.ts';
import { eventually } from '../../support/eventually.ts';

/** A program that serves HTTP on this machine. */
export interface RunningProgram {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a program of Prometheus' family with its address as an argument, and waits until it is ready. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { readyPath, env = {} }: { readonly readyPath: string; readonly env?: Readonly<Record<string, string>> },
): Promise<RunningProgram> {
  const port = await freePort();
  const child = spawn(program, [...args, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}${readyPath}`)).ok;
  await eventually(program, isReady);
  return {
    port,
    async close() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

/** Divides the durations of a file by a factor: ranges, `for` and intervals of any name, and limits marked with "# seconds". */
export function shortened(text: string, faster: number): string {
  const short = (amount: string, unit: string): string =>
    `${Math.ceil((Number(amount) * UNIT_SECONDS[unit]! * 1_000) / faster)}ms`;
  return text
    .replaceAll(/\[(\d+)([smh])\]/g, (_, amount: string, unit: string) => `[${short(amount, unit)}]`)
    .replaceAll(
      /\b(for|\w+_(?:wait|interval)): (\d+)([smh])\b/g,
      (_, name: string, amount: string, unit: string) => `${name}: ${short(amount, unit)}`,
    )
    .replaceAll(/(\d+) # seconds/g, (_, seconds: string) => `${Number(seconds) / faster} # seconds`);
}
