import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DEFAULT_DATA_DIR } from '../../config/config.ts';
import { processEnvironment } from '../../config/env.ts';
import { readMutants } from '../mutants/read-mutants.ts';
import { importersOf } from '../runner/changed-files.ts';
import { planTurn, type Turn } from './plan-turns.ts';
import { runSoak } from './run-soak.ts';

/**
 * `npm run soak [-- --minutes=60]`: fault schedules, the long forms of seeded tests and mutants alternate until the time is
 * up. `DATA_DIR/soak` keeps the result of each turn; the next soak continues after the last one.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  process.stderr.write('--minutes is a number above 0.\n');
  process.exit(2);
}

const longTests = [...importersOf(ROOT)('test/support/long-run.ts')]
  .filter((file) => /\.(test|browser|programs|conformance)\.ts$/.test(file))
  .toSorted();
const mutants = readMutants(ROOT).map(({ name }) => name);
const passed = await runSoak({
  folder: join(resolve(processEnvironment()['DATA_DIR'] ?? DEFAULT_DATA_DIR), 'soak'),
  minutes,
  newSeed: () => randomInt(2 ** 31),
  plan: (index, firstSeed) => planTurn(index, firstSeed, longTests, mutants),
  run,
  now: () => performance.now(),
  print: (line) => void process.stdout.write(`${line}\n`),
});
process.exitCode = passed ? 0 : 1;

async function run({ environment, command }: Turn, output: string): Promise<boolean> {
  const file = openSync(output, 'w');
  const env = { ...processEnvironment(), ...environment };
  const child = spawn('npm', ['--silent', ...command], { cwd: ROOT, env, stdio: ['ignore', file, file] });
  const status = await new Promise<number | null>((ended) => child.once('exit', ended));
  closeSync(file);
  if (status === 0) rmSync(output);
  return status === 0;
}
