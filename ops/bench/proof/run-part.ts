import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { Figure } from '../frame/bench.ts';
import { failureOf, readBenchOutput, runCommand } from '../frame/run-command.ts';
import { type BenchRun, commandOf, type ProofPart, type TestRun } from './parts.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const GIB = 2 ** 30;

/** Result of one part of the proof, as stored in the data folder. */
export const PartResult = z.object({
  /** The command line. */
  command: z.string(),
  date: z.string(),
  seconds: z.number().optional(),
  commit: z.string(),
  machine: z.string(),
  /** The reason of a failure; null: the part was measured. */
  error: z.string().nullable(),
  figures: z.array(Figure),
  /** The part's output for people. */
  text: z.string(),
  details: z.unknown(),
});
export type PartResult = z.infer<typeof PartResult>;

const MochaReport = z.object({
  stats: z.object({ tests: z.number(), passes: z.number(), failures: z.number() }),
  failures: z.array(z.object({ fullTitle: z.string(), err: z.object({ message: z.string().optional() }) })),
});

type Outcome = Pick<PartResult, 'figures' | 'text' | 'details'>;

/** Runs a part in separate processes. Never rejects: a failure is part of the result. */
export async function runPart({ title, minutes }: ProofPart, does: ProofPart['does']): Promise<PartResult> {
  const started = performance.now();
  const date = new Date().toISOString();
  const limitMinutes = Math.ceil(minutes * 2 + 3);
  const running = 'bench' in does ? runBench(does, limitMinutes) : runTests(title, does, limitMinutes);
  const outcome = await running.then(
    (measured) => ({ error: null, ...measured }),
    (error: unknown) => ({
      error: error instanceof Error ? error.message : String(error),
      figures: [],
      text: '',
      details: null,
    }),
  );
  const seconds = Math.round((performance.now() - started) / 1_000);
  return { command: commandOf(does), date, seconds, commit: commitName(), machine: machineName(), ...outcome };
}

async function runBench({ bench, options }: BenchRun, limitMinutes: number): Promise<Outcome> {
  const output = await runCommand({ root: ROOT, args: ['bench', bench, ...options], limitMinutes });
  if (output.status !== 0) throw new Error(failureOf(output));
  const { figures, details, text } = readBenchOutput(output);
  // Lines of the service's log are no output for people.
  const shown = text.filter((line) => !line.startsWith('{"level"'));
  return { figures, details, text: shown.join('\n').trim() };
}

async function runTests(title: string, { tests, settings }: TestRun, limitMinutes: number): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'upsilon-proof-'));
  try {
    const output = join(folder, 'report.json');
    const args = ['test', '--reporter', 'json', '--reporter-option', `output=${output}`, ...tests];
    const run = await runCommand({ root: ROOT, args, settings, limitMinutes });
    const text = await readFile(output, 'utf8').catch(() => null);
    if (text === null) throw new Error(`the tests did not finish: ${failureOf(run)}`);
    const { stats, failures } = MochaReport.parse(JSON.parse(text));
    const ratio = stats.tests === 0 ? 0 : stats.passes / stats.tests;
    const against = `${stats.tests} that ran`;
    const name = `${title.toLowerCase()} that held`;
    return {
      figures: [{ name, value: stats.passes, unit: 'tests', ratio, against, target: { atLeast: 1 } }],
      text: failures.map(({ fullTitle, err }) => `FAILED ${fullTitle}: ${err.message ?? ''}`).join('\n'),
      details: null,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The commit of this tree, for a result. */
export function commitName(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** This machine and its Node, for a result. */
export function machineName(): string {
  const memory = Math.round(totalmem() / GIB);
  return `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, ${memory} GiB, Node.js ${process.version}`;
}
