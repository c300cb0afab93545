import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import { measureInProcess } from '../frame/measured-process.ts';
import type { CoreCosts } from './core-costs.ts';

const PROGRAM = fileURLToPath(new URL('core-main.ts', import.meta.url));

/** Measures the core alone over a field, in turns with the least one, in a fresh process. */
export function measureCore(context: BenchContext, operators: number, least: number): Promise<CoreCosts> {
  context.say(`${operators} operators`);
  return measureInProcess<CoreCosts>(context, PROGRAM, [operators, least]);
}
