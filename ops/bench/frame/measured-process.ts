import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BenchContext } from '../bench.ts';

/**
 * Runs a program that measures something in a fresh process, and answers the one message that it sends. Throws when it ends
 * without one. It is killed with the bench.
 */
export async function measureInProcess<T>(
  context: BenchContext,
  program: string,
  args: readonly (string | number)[],
): Promise<T> {
  const child = fork(program, args.map(String), { execArgv: ['--import', 'tsx'] });
  context.onClose(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([status]: unknown[]) => {
    throw new Error(`the measured process ended with status ${String(status)}`);
  });
  const told = once(child, 'message').then(([costs]: T[]) => costs);
  const costs = await Promise.race([told, ended]);
  if (costs === undefined) throw new Error('the measured process told nothing');
  return costs;
}
