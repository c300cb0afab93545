import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../config/env.ts';

const PROOF = fileURLToPath(new URL('../../ops/docs/proof/faults.json', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));

/** The result of one schedule. Times in milliseconds. */
export interface ScheduleResult {
  readonly seed: number;
  readonly faults: readonly string[];
  /** Snapshots that were acknowledged while it ran. */
  readonly acknowledged: number;
  /** From the end of the last fault to a response with a verdict; null when none came. */
  readonly verdictAfterMs: number | null;
  /** From there until all invariants held; null when they did not. */
  readonly wholeAfterMs: number | null;
}

/** One run of the schedules; a long run consists of several. */
interface Portion {
  readonly date: string;
  readonly commit: string;
  readonly cores: number;
  readonly schedules: number;
  /** Entries of the log at its end, all with independently verified verdicts. */
  readonly verdicts: number;
}

interface Proof {
  /** The product version of these runs: runs of different versions are not combined. */
  readonly version: string;
  readonly portions: readonly Portion[];
  readonly schedules: readonly ScheduleResult[];
}

/**
 * Appends a run to `ops/docs/proof/faults.json` when `FAULT_PROOF` is `append`, or replaces the file when it is `new`. Drops
 * runs of another version.
 */
export function recordProof(schedules: readonly ScheduleResult[], verdicts: number): void {
  const mode = processEnvironment()['FAULT_PROOF'];
  if (mode === undefined || schedules.length === 0) return;
  const { version }: { version: string } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  const known = mode === 'append' ? readProof() : null;
  const kept = known?.version === version ? known : null;
  const portion = {
    date: new Date().toISOString(),
    commit: commitName(),
    cores: availableParallelism(),
    schedules: schedules.length,
    verdicts,
  };
  const portions = [...(kept?.portions ?? []), portion];
  const all = [...(kept?.schedules ?? []), ...schedules];
  const head = { version, ...summary(all), verdicts: portions.reduce((sum, run) => sum + run.verdicts, 0), portions };
  mkdirSync(dirname(PROOF), { recursive: true });
  // One line per schedule, for readable diffs.
  const lines = all.map((result) => `    ${JSON.stringify(result)}`).join(',\n');
  const text = JSON.stringify(head, null, 2).replace(/\n\}$/, `,\n  "schedules": [\n${lines}\n  ]\n}\n`);
  writeFileSync(PROOF, text);
}

function readProof(): Proof | null {
  try {
    return JSON.parse(readFileSync(PROOF, 'utf8'));
  } catch {
    return null;
  }
}

function summary(all: readonly ScheduleResult[]) {
  const byKind: Record<string, number> = {};
  for (const fault of all.flatMap(({ faults }) => faults)) byKind[fault] = (byKind[fault] ?? 0) + 1;
  return {
    count: all.length,
    whole: all.filter(({ wholeAfterMs }) => wholeAfterMs !== null).length,
    acknowledged: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    verdictAfterMs: spread(all.flatMap(({ verdictAfterMs }) => verdictAfterMs ?? [])),
    wholeAfterMs: spread(all.flatMap(({ wholeAfterMs }) => wholeAfterMs ?? [])),
    faults: Object.fromEntries(Object.entries(byKind).toSorted(([one], [other]) => one.localeCompare(other))),
  };
}

function spread(times: readonly number[]) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number | null => sorted[Math.ceil(share * sorted.length) - 1] ?? null;
  return { p50: at(0.5), p95: at(0.95), worst: at(1) };
}

function commitName(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: dirname(PACKAGE), encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
