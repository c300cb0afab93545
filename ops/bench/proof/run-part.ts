import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { BenchLine, failureOf, runCommand } from '../frame/run-command.ts';
import { commandOf, type ProofPart } from './parts.ts';
import type { PartResult, StoredFigure } from './stored-results.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const MochaReport = z.object({
  stats: z.object({ tests: z.number(), passes: z.number(), failures: z.number() }),
  failures: z.array(z.object({ fullTitle: z.string(), err: z.object({ message: z.string().optional() }) })),
});

interface Outcome {
  readonly figures: readonly StoredFigure[];
  readonly text: string;
  readonly details?: unknown;
}

/** Runs a part in separate processes. Never rejects: a failure is part of the result. */
export async function runPart(part: ProofPart, does: ProofPart['does']): Promise<PartResult> {
  const started = performance.now();
  const date = new Date().toISOString();
  const outcome = await ('bench' in does ? runBench(part, does) : runTests(part, does)).catch((error: unknown) =>
    error instanceof Error ? error.message : String(error),
  );
  const seconds = Math.round((performance.now() - started) / 1_000);
  const run = { command: commandOf(does), date, seconds, commit: commitName() };
  if (typeof outcome === 'string') return { status: 'failed', ...run, error: outcome };
  return { status: 'measured', ...run, ...outcome, figures: [...outcome.figures], details: outcome.details ?? null };
}

async function runBench(part: ProofPart, does: { bench: string; options: readonly string[] }): Promise<Outcome> {
  const args = ['bench', does.bench, ...does.options];
  const output = await runCommand({ root: ROOT, args, limitMinutes: part.limitMinutes });
  if (output.status !== 0) throw new Error(failureOf(output));
  const lines = output.stdout.trimEnd().split('\n');
  const { figures, details } = BenchLine.parse(JSON.parse(lines.at(-1) ?? ''));
  return { figures, details, text: lines.slice(0, -1).filter(isForPeople).join('\n').trim() };
}

async function runTests(
  part: ProofPart,
  does: { tests: readonly string[]; settings: Readonly<Record<string, string>> },
): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'upsilon-proof-'));
  try {
    const output = join(folder, 'report.json');
    const reporter = ['--reporter', 'json', '--reporter-option', `output=${output}`];
    const args = ['test', ...reporter, ...does.tests];
    const run = await runCommand({ root: ROOT, args, settings: does.settings, limitMinutes: part.limitMinutes });
    const text = await readFile(output, 'utf8').catch(() => null);
    if (text === null) throw new Error(`the tests did not finish: ${failureOf(run)}`);
    const { stats, failures } = MochaReport.parse(JSON.parse(text));
    const against = `${stats.tests} that ran`;
    const name = `${part.title.toLowerCase()} that held`;
    const ratio = stats.tests === 0 ? 0 : stats.passes / stats.tests;
    return {
      figures: [{ name, value: stats.passes, unit: 'tests', ratio, against }],
      text: failures.map(({ fullTitle, err }) => `FAILED ${fullTitle}: ${err.message ?? ''}`).join('\n'),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function commitName(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** Whether a line is output for people, not the service's log. */
const isForPeople = (line: string): boolean => !line.startsWith('{"level"');
