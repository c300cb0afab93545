import type { Bench } from './bench.ts';
import { runBench } from './run-bench.ts';

/** Runs every bench with tiny sizes. Returns the exit status: 1 when one fails; slowness is not a failure. */
export async function runSmoke(benches: readonly Bench[], options: ReadonlyMap<string, number>): Promise<number> {
  const failed: string[] = [];
  const seconds: Record<string, number> = {};
  for (const bench of benches) {
    try {
      seconds[bench.name] = (await runBench(bench, 'tiny', options)).seconds;
    } catch (error) {
      failed.push(bench.name);
      process.stderr.write(`${bench.name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    }
  }
  const figure = { name: 'smoke', value: benches.length - failed.length, unit: 'benches', ratio: null };
  process.stdout.write(`${JSON.stringify({ ...figure, against: `${benches.length} benches`, failed, seconds })}\n`);
  return failed.length === 0 ? 0 : 1;
}
