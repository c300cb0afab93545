import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_DATA_DIR } from '../../config/config.ts';
import { processEnvironment } from '../../config/env.ts';
import { textTable } from '../../ops/bench/frame/text-table.ts';
import { commandOf, FAULT_RUNS } from '../../ops/bench/proof/parts.ts';
import { commitName, machineName, type PartResult } from '../../ops/bench/proof/run-part.ts';

const FOLDER = join(resolve(processEnvironment()['DATA_DIR'] ?? DEFAULT_DATA_DIR), 'proof');
const PROOF = join(FOLDER, `${FAULT_RUNS.name}.json`);
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
  readonly schedules: number;
  /** Entries of the log at its end, all with independently verified verdicts. */
  readonly verdicts: number;
}

interface Runs {
  /** The product version of these runs: runs of different versions are not combined. */
  readonly version: string;
  readonly portions: readonly Portion[];
  readonly schedules: readonly ScheduleResult[];
}

/**
 * Appends a run to the raw results of the proof when `FAULT_PROOF` is `append`, or replaces them when it is `new`. Drops runs
 * of another version. `npm run proof -- --page` shows them.
 */
export function recordProof(schedules: readonly ScheduleResult[], verdicts: number): void {
  const mode = processEnvironment()['FAULT_PROOF'];
  if (mode === undefined || schedules.length === 0) return;
  const { version }: { version: string } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  const known = mode === 'append' ? readRuns() : null;
  const kept = known?.version === version ? known : null;
  const portion = { date: new Date().toISOString(), commit: commitName(), schedules: schedules.length, verdicts };
  const portions = [...(kept?.portions ?? []), portion];
  const result = resultOf({ version, portions, schedules: [...(kept?.schedules ?? []), ...schedules] }, machineName());
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(PROOF, `${JSON.stringify(result, null, 1)}\n`);
}

function readRuns(): Runs | null {
  try {
    return JSON.parse(readFileSync(PROOF, 'utf8')).details;
  } catch {
    return null;
  }
}

/** The runs as a part of the proof. */
export function resultOf(runs: Runs, machine: string): PartResult {
  const { portions, schedules } = runs;
  const whole = schedules.flatMap(({ wholeAfterMs }) => wholeAfterMs ?? []);
  const acknowledged = schedules.reduce((sum, result) => sum + result.acknowledged, 0);
  const verdicts = portions.reduce((sum, portion) => sum + portion.verdicts, 0);
  const times: Record<string, number> = {};
  for (const fault of schedules.flatMap(({ faults }) => faults)) times[fault] = (times[fault] ?? 0) + 1;
  const rows = Object.entries(times).toSorted(([one], [other]) => one.localeCompare(other));
  return {
    command: commandOf(FAULT_RUNS.does),
    date:
      portions
        .map(({ date }) => date)
        .toSorted()
        .at(-1) ?? '',
    commit: [...new Set(portions.map(({ commit }) => commit))].join(', '),
    machine,
    error: null,
    figures: [
      {
        name: 'schedules that passed every consistency check',
        value: whole.length,
        unit: 'schedules',
        ratio: whole.length / schedules.length,
        against: `${schedules.length} that ran`,
        target: { atLeast: 1 },
      },
    ],
    text: [
      `${schedules.length} schedules in ${portions.length} portions.`,
      `${acknowledged} acknowledged snapshots were in the log, ${verdicts} verdicts agreed with a second verification,`,
      'and every board agreed with the naive model.',
      `From the last fault to a verdict: ${spread(schedules.flatMap(({ verdictAfterMs }) => verdictAfterMs ?? []))}.`,
      `From there to a consistent board: ${spread(whole)}.`,
      '',
      textTable([['fault', 'times'], ...rows.map(([name, count]) => [name, String(count)])]),
    ].join('\n'),
    details: runs,
  };
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): string => `${sorted[Math.ceil(share * sorted.length) - 1] ?? 'unknown'} ms`;
  return `median ${at(0.5)}, p95 ${at(0.95)}, maximum ${at(1)}`;
}
