import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import { measureInProcess } from '../frame/measured-process.ts';
import type { CoreCosts } from './core-costs.ts';

const PROGRAM = fileURLToPath(new URL('core-main.ts', import.meta.url));

/** The core over a field, and over the least one just before and after it. */
export interface ComparedCore {
  readonly costs: CoreCosts;
  readonly least: readonly CoreCosts[];
}

/** Measures the core over growing fields, each with the least one around it: a machine is not as fast for long. */
export async function measureCores(
  context: BenchContext,
  least: number,
  larger: readonly number[],
): Promise<readonly ComparedCore[]> {
  const compared: ComparedCore[] = [];
  let before = await measureCore(context, least, least);
  for (const operators of larger) {
    const costs = await measureCore(context, operators, least);
    const after = await measureCore(context, least, least);
    compared.push({ costs, least: [before, after] });
    before = after;
  }
  return compared;
}

/** Measures the core alone over a field, in a fresh process. */
function measureCore(context: BenchContext, operators: number, least: number): Promise<CoreCosts> {
  context.say(`${operators} operators`);
  return measureInProcess<CoreCosts>(context, PROGRAM, [operators, least]);
}
