import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../config/env.ts';
import { figure } from '../../ops/bench/frame/bench.ts';
import { commitName, machineName } from '../../ops/bench/frame/trees.ts';
import { FAULT_RUNS, recordRun } from '../../ops/bench/proof/recorded-parts.ts';

const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));

export interface ScheduleResult {
  readonly seed: number;
  readonly faults: readonly string[];
  /** Snapshots that were acknowledged while it ran. */
  readonly acknowledged: number;
  /** Milliseconds from the end of the last fault to a response with a verdict; null when none came. */
  readonly verdictAfterMs: number | null;
  /** Milliseconds from there until all invariants held; null when they did not. */
  readonly wholeAfterMs: number | null;
}

interface FaultRuns {
  /** The product version of these runs: runs of different versions are not combined. */
  readonly version: string;
  /** `verdicts`: entries of the log at the end of a portion. */
  readonly portions: readonly Readonly<Record<'date' | 'commit', string> & Record<'schedules' | 'verdicts', number>>[];
  readonly schedules: readonly ScheduleResult[];
}

/**
 * Appends a run to those of the proof when `FAULT_PROOF` is `append`, or replaces them when it is `new`. Drops runs of another
 * version. `verdicts`: entries of the log at its end, all with independently verified verdicts. `npm run proof -- faults` shows them.
 */
export function recordProof(schedules: readonly ScheduleResult[], verdicts: number): void {
  const mode = processEnvironment()['FAULT_PROOF'];
  if (mode === undefined || schedules.length === 0) return;
  const { version }: { version: string } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  recordRun<FaultRuns>(FAULT_RUNS, (former) => {
    const kept = mode === 'append' && former?.version === version ? former : undefined;
    const [date, commit] = [new Date().toISOString(), commitName()];
    const portions = [...(kept?.portions ?? []), { date, commit, schedules: schedules.length, verdicts }];
    const all = [...(kept?.schedules ?? []), ...schedules];
    const whole = all.filter(({ wholeAfterMs }) => wholeAfterMs !== null).length;
    const compared = { ratio: whole / all.length, peer: 'of those that ran', atLeast: 1 };
    return {
      figures: [figure('schedules that passed every consistency check', whole, 'schedules', compared)],
      date,
      commit: [...new Set(portions.map((portion) => portion.commit))].join(', '),
      machine: machineName(),
      details: { version, portions, schedules: all },
    };
  });
}
