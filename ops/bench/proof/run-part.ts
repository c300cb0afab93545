import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { processEnvironment } from '../../../config/env.ts';
import { commandOf, type ProofPart } from './parts.ts';
import type { PartResult, StoredFigure } from './stored-results.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BOOTSTRAP = join(ROOT, 'ops/bootstrap.mjs');
/** The end of what a failed part said. */
const TOLD_ERROR_LINES = 12;
/** What a part that was told to stop gets before it is killed. */
const STOP_WITHIN_MS = 20_000;

const BenchLine = z.object({
  figures: z.array(
    z.object({
      name: z.string(),
      value: z.number().nullable(),
      unit: z.string(),
      ratio: z.number().nullable(),
      against: z.string(),
    }),
  ),
  details: z.unknown(),
});

const MochaReport = z.object({
  stats: z.object({ tests: z.number(), passes: z.number(), failures: z.number() }),
  failures: z.array(z.object({ fullTitle: z.string(), err: z.object({ message: z.string().optional() }) })),
});

interface Outcome {
  readonly figures: readonly StoredFigure[];
  readonly text: string;
  readonly details?: unknown;
}

/** Runs a part in processes of its own. What goes wrong is part of the result; nothing is thrown. */
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
  const { status, stdout, stderr } = await play(part, ['bench', does.bench, ...does.options], {});
  if (status !== 0) throw new Error(lastLines(stderr) || `ended with status ${status}`);
  const lines = stdout.trimEnd().split('\n');
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
    const { stderr } = await play(part, ['test', ...reporter, ...does.tests], does.settings);
    const text = await readFile(output, 'utf8').catch(() => null);
    if (text === null) throw new Error(lastLines(stderr) || 'the tests broke off');
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

interface Played {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the bootstrap; what it says on its way goes to our standard error. Throws when its time is over. */
function play(part: ProofPart, args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Played> {
  return new Promise((resolve, reject) => {
    const env = { ...processEnvironment(), ...settings };
    const child = spawn(process.execPath, [BOOTSTRAP, ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS).unref();
    }, part.limitMinutes * 60_000);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.stderr += text;
      process.stderr.write(text);
    });
    child.once('error', reject);
    child.once('close', (status) => {
      clearTimeout(limit);
      if (late) reject(new Error(`was stopped after ${part.limitMinutes} minutes`));
      else resolve({ status, ...said });
    });
  });
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-TOLD_ERROR_LINES).join('\n');
}

function commitName(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** Whether a line is not one of the service's log. */
const isForPeople = (line: string): boolean => !line.startsWith('{"level"');
