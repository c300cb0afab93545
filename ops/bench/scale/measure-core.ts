import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import type { CoreCosts } from './core-costs.ts';

const PROGRAM = fileURLToPath(new URL('core-main.ts', import.meta.url));

/** Measures the core alone over a field, in a fresh process. */
export async function measureCore(context: BenchContext, operators: number): Promise<CoreCosts> {
  const child = fork(PROGRAM, [String(operators)], { execArgv: ['--import', 'tsx'] });
  context.onClose(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([status]: unknown[]) => {
    throw new Error(`the measured process ended with status ${String(status)}`);
  });
  const told = once(child, 'message').then(([costs]: CoreCosts[]) => costs);
  const costs = await Promise.race([told, ended]);
  if (costs === undefined) throw new Error('the measured process told nothing');
  return costs;
}
