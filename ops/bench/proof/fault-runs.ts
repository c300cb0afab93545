import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DEFAULT_DATA_DIR } from '../../../config/config.ts';
import { processEnvironment } from '../../../config/env.ts';
import type { BenchRun } from '../frame/run-bench.ts';

/** Fault schedules, which the tests record themselves: runs of one version add up, so a long run may come in portions. */
export const FAULT_RUNS = {
  name: 'faults',
  method:
    'Seeded schedules of crashes, cuts, full disks, stepped clocks and lost queues under submissions; after each, every acknowledged ' +
    'snapshot is in the log with its right verdict, and the board equals a naive model.',
  command: 'FAULT_SCHEDULES=200 FAULT_PROOF=append npm test -- test/faults/schedules.test.ts',
} as const;

export interface FaultRuns {
  /** The product version of these runs: runs of different versions are not combined. */
  readonly version: string;
  /** `verdicts`: entries of the log at the end of a portion. */
  readonly portions: readonly Readonly<Record<'date' | 'commit', string> & Record<'schedules' | 'verdicts', number>>[];
  readonly schedules: readonly {
    readonly seed: number;
    readonly faults: readonly string[];
    /** Snapshots that were acknowledged while it ran. */
    readonly acknowledged: number;
    /** Milliseconds from the end of the last fault to a response with a verdict; null when none came. */
    readonly verdictAfterMs: number | null;
    /** Milliseconds from there until all invariants held; null when they did not. */
    readonly wholeAfterMs: number | null;
  }[];
}

type RecordedRuns = BenchRun & { readonly details: FaultRuns };

const FILE = join(resolve(processEnvironment()['DATA_DIR'] ?? DEFAULT_DATA_DIR), 'proof/fault-runs.json');

/** The recorded runs, with `details` that only the tests read; null without any. */
export function readFaultRuns(): RecordedRuns | null {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return null;
  }
}

export function writeFaultRuns(run: RecordedRuns): void {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(run, null, 1)}\n`);
}
