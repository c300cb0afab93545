import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DEFAULT_DATA_DIR } from '../../../config/config.ts';
import { processEnvironment } from '../../../config/env.ts';
import type { BenchRun } from '../frame/run-bench.ts';
import type { ProofPart } from './page.ts';

/** A part that tests record themselves, in a file of `DATA_DIR/proof`. */
export interface RecordedPart extends ProofPart {
  readonly file: string;
}

export const FAULT_RUNS: RecordedPart = {
  name: 'faults',
  file: 'fault-runs.json',
  method:
    'Seeded schedules of crashes, cuts, full disks, stepped clocks and lost queues under submissions; after each, every acknowledged ' +
    'snapshot is in the log with its right verdict, and the board equals a naive model.',
  command: 'FAULT_SCHEDULES=200 FAULT_PROOF=append npm test -- test/faults/schedules.test.ts',
};

export const DRILLS: RecordedPart = {
  name: 'drills',
  file: 'drills.json',
  method:
    'Two api processes and two workers under submissions, watched by Prometheus, once a second, and Alertmanager with the shipped files, whose ' +
    'durations are divided by the number in the first row. The others are a fault and the alert that its receiver is notified of, in ' +
    'seconds from the fault on, and then from its remedy on until the receiver is notified of that.',
  command: 'DRILL_FASTER=10 TEST_LONG_RUN=1 npm test -- test/ops/monitoring/drills.programs.ts',
};

export const RECORDED_PARTS = [FAULT_RUNS, DRILLS];
const pathOf = ({ file }: RecordedPart): string =>
  join(resolve(processEnvironment()['DATA_DIR'] ?? DEFAULT_DATA_DIR), 'proof', file);

const storedText = (part: RecordedPart): string =>
  existsSync(pathOf(part)) ? readFileSync(pathOf(part), 'utf8') : 'null';

/** The recorded run; null without one. */
export function readRecorded(part: RecordedPart): BenchRun | null {
  return JSON.parse(storedText(part));
}

/** Records a run, made from the one before, with `details` that only its tests read. */
export function recordRun<Details>(
  part: RecordedPart,
  make: (former: Details | undefined) => BenchRun & { readonly details: Details },
): void {
  const former: { readonly details: Details } | null = JSON.parse(storedText(part));
  mkdirSync(dirname(pathOf(part)), { recursive: true });
  writeFileSync(pathOf(part), `${JSON.stringify(make(former?.details), null, 1)}\n`);
}
