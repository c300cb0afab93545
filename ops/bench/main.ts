import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_DATA_DIR } from '../../config/config.ts';
import { processEnvironment } from '../../config/env.ts';
import { comparisonTable, runAgainst } from './against/run-against.ts';
import { BENCHES } from './benches.ts';
import { parseBenchArguments } from './frame/arguments.ts';
import { runBench } from './frame/run-bench.ts';
import { runSmoke } from './frame/run-smoke.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * `npm run bench -- NAME [--option=number …]`: a table for people and, as the last line, one JSON object. With
 * `--against=COMMIT`, runs of both trees alternate and are compared.
 */
const request = parseBenchArguments(process.argv.slice(2));
const bench = BENCHES.find(({ name }) => name === request.name);
const { against } = request;
if (request.name === 'smoke') {
  process.exitCode = await runSmoke(BENCHES, request.options);
} else if (bench === undefined) {
  const list = BENCHES.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n');
  process.stderr.write(
    `Usage: npm run bench -- NAME [--tiny] [--option=number …] [--against=COMMIT [--against-name=NAME] [--pairs=9]]\n${list}\n  smoke      each of them, tiny\n`,
  );
  process.exitCode = 2;
} else if (against !== null) {
  const dataDir = resolve(processEnvironment()['DATA_DIR'] ?? DEFAULT_DATA_DIR);
  const progress = (text: string): void => void process.stderr.write(`${request.name}: ${text}\n`);
  const comparison = await runAgainst({ root: ROOT, dataDir, request: { ...request, against }, progress });
  process.stdout.write(`${comparisonTable(comparison)}${JSON.stringify(comparison)}\n`);
} else {
  const result = await runBench(bench, request.tiny ? 'tiny' : 'full', request.options);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
