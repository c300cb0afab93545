import { resolve } from 'node:path';
import { DEFAULT_DATA_DIR } from '../../config/config.ts';
import { processEnvironment } from '../../config/env.ts';
import { BENCHES } from './benches.ts';
import { isMet } from './frame/bench.ts';
import { runBench } from './frame/run-bench.ts';
import { checkOut, THIS_TREE } from './frame/trees.ts';

/** `--against=COMMIT`, `--tiny` and options of numbers. @throws for anything else. */
function parseArguments(args: readonly string[]) {
  const options = new Map<string, number>();
  let [against, size]: [string | null, 'full' | 'tiny'] = [null, 'full'];
  for (const arg of args) {
    const option = /^--([a-z-]+)=(\d+(?:\.\d+)?)$/.exec(arg);
    if (arg.startsWith('--against=')) against = arg.slice('--against='.length);
    else if (arg === '--tiny') size = 'tiny';
    else if (option !== null) options.set(option[1]!, Number(option[2]));
    else throw new Error(`${arg} is none of --name=number, --against=COMMIT, --tiny`);
  }
  return { options, against, size };
}

function usage(): string {
  const lines = BENCHES.map(({ name, summary, options }) => {
    const defaults = Object.entries(options).map(([option, [value]]) => `--${option}=${value}`);
    return `  ${name.padEnd(7)} ${summary}\n          ${defaults.join(' ')}\n`;
  });
  return `Usage: npm run bench -- NAME [--option=number …] [--against=COMMIT] [--tiny]\n${lines.join('')}`;
}

/**
 * `npm run bench -- NAME`: tables for people and, as the last line, one JSON object. With `--against=COMMIT`, that commit is measured
 * in the same run, in alternating rounds. The status is 1 when a figure of a full run misses its limit.
 */
const [name, ...args] = process.argv.slice(2);
const bench = BENCHES.find((one) => one.name === name);
if (bench === undefined) {
  process.stderr.write(usage());
  process.exitCode = 2;
} else {
  const { options, against, size } = parseArguments(args);
  const dataDir = resolve(processEnvironment()['DATA_DIR'] ?? DEFAULT_DATA_DIR);
  const others = against === null ? [] : [checkOut(THIS_TREE.root, against, dataDir)];
  const result = await runBench(bench, { options, size, trees: [THIS_TREE, ...others] });
  process.stdout.write(`${JSON.stringify({ name, size, against, ...result })}\n`);
  if (size === 'full' && result.figures.some((figure) => isMet(figure) === false)) process.exitCode = 1;
}
