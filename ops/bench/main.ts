import { BENCHES } from './benches.ts';
import { parseBenchArguments } from './frame/arguments.ts';
import { runBench } from './frame/run-bench.ts';
import { runSmoke } from './frame/run-smoke.ts';

/** `npm run bench -- NAME [--option=number …]`: a table for people and, as the last line, one JSON object. */
const request = parseBenchArguments(process.argv.slice(2));
const bench = BENCHES.find(({ name }) => name === request.name);
if (request.name === 'smoke') {
  process.exitCode = await runSmoke(BENCHES, request.options);
} else if (bench === undefined) {
  const list = BENCHES.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n');
  process.stderr.write(
    `Usage: npm run bench -- NAME [--tiny] [--option=number …]\n${list}\n  smoke      each of them, tiny\n`,
  );
  process.exitCode = 2;
} else {
  const result = await runBench(bench, request.tiny ? 'tiny' : 'full', request.options);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
