import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_DATA_DIR } from '../../config/config.ts';
import { processEnvironment } from '../../config/env.ts';
import { comparisonTable, runAgainst } from './against/run-against.ts';
import { clients } from './clients/clients.ts';
import { commit } from './commit/commit.ts';
import { core } from './core/core.ts';
import { parseBenchArguments } from './frame/arguments.ts';
import type { Bench } from './frame/bench.ts';
import { runBench } from './frame/run-bench.ts';
import { ingest } from './ingest/ingest.ts';
import { load } from './load/load.ts';
import { reads } from './reads/reads.ts';
import { site } from './reads/site.ts';
import { rerankLive } from './rerank/live/live.ts';
import { rerank } from './rerank/rerank.ts';
import { rules } from './rules/rules.ts';
import { scale } from './scale/scale.ts';
import { scan } from './scan/scan.ts';
import { sortedSet } from './sorted-set/sorted-set.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Every bench, in the order in which `smoke` runs them. */
const BENCHES: readonly Bench[] = [
  reads,
  clients,
  scan,
  ingest,
  load,
  commit,
  sortedSet,
  rerank,
  rerankLive,
  scale,
  core,
  rules,
  site,
];

/** Runs every bench with tiny sizes. Returns the exit status: 1 when one fails; slowness is not a failure. */
async function runSmoke(options: ReadonlyMap<string, number>): Promise<number> {
  const failed: string[] = [];
  const seconds: Record<string, number> = {};
  for (const bench of BENCHES) {
    try {
      seconds[bench.name] = (await runBench(bench, 'tiny', options)).seconds;
    } catch (error) {
      failed.push(bench.name);
      process.stderr.write(`${bench.name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    }
  }
  const figure = { name: 'smoke', value: BENCHES.length - failed.length, unit: 'benches', ratio: null };
  process.stdout.write(`${JSON.stringify({ ...figure, against: `${BENCHES.length} benches`, failed, seconds })}\n`);
  return failed.length === 0 ? 0 : 1;
}

/**
 * `npm run bench -- NAME [--option=number …]`: a table for people and, as the last line, one JSON object. With
 * `--against=COMMIT`, runs of both trees alternate and are compared.
 */
const request = parseBenchArguments(process.argv.slice(2));
const bench = BENCHES.find(({ name }) => name === request.name);
const { against } = request;
if (request.name === 'smoke') {
  process.exitCode = await runSmoke(request.options);
} else if (bench === undefined) {
  const list = BENCHES.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n');
  process.stderr.write(
    `Usage: npm run bench -- NAME [--tiny] [--option=number …] [--against=COMMIT [--against-name=NAME] [--pairs=9]]\n${list}\n  smoke      each of them, tiny\n`,
  );
  process.exitCode = request.name === 'help' ? 0 : 2;
} else if (against !== null) {
  const dataDir = resolve(processEnvironment()['DATA_DIR'] ?? DEFAULT_DATA_DIR);
  const progress = (text: string): void => void process.stderr.write(`${request.name}: ${text}\n`);
  const comparison = await runAgainst({ root: ROOT, dataDir, request: { ...request, against }, progress });
  process.stdout.write(`${comparisonTable(comparison)}${JSON.stringify(comparison)}\n`);
} else {
  const result = await runBench(bench, request.tiny ? 'tiny' : 'full', request.options);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
