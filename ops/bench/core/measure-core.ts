import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import type { CoreCosts } from './core-costs.ts';

const PROGRAM = fileURLToPath(new URL('core-main.ts', import.meta.url));

/**
 * Measures the core alone over a field, in turns with the least one, in a fresh process, which is killed with the bench.
 * Throws when it ends without telling.
 */
export async function measureCore(context: BenchContext, operators: number, least: number): Promise<CoreCosts> {
  context.say(`${operators} operators`);
  const child = fork(PROGRAM, [operators, least].map(String), { execArgv: ['--import', 'tsx'] });
  context.onClose(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([status]: unknown[]) => {
    throw new Error(`the measured process ended with status ${String(status)}`);
  });
  const told = once(child, 'message').then(([costs]: CoreCosts[]) => costs);
  const costs = await Promise.race([told, ended]);
  if (costs === undefined) throw new Error('the measured process told nothing');
  return costs;
}
