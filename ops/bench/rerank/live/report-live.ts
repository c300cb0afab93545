import { MIB } from '../../../../config/units.ts';
import type { BenchContext, BenchResult } from '../../bench.ts';
import { threeDigits } from '../../frame/statistics.ts';
import type { CheckedResponses } from './check-responses.ts';
import type { SteadyReport } from './steady-messages.ts';

const MAX_P99_RATIO = 2;

/** Measurements of a run of the bench. */
export interface Found {
  readonly records: number;
  readonly before: SteadyReport;
  readonly during: SteadyReport;
  readonly last: SteadyReport;
  readonly changeMs: number;
  readonly rollbackMs: number;
  readonly killed: { readonly kills: number; readonly runs: number };
  /** Peak memory of a worker and of the api, in bytes. */
  readonly peaks: { readonly worker: number; readonly api: number };
  readonly checked: CheckedResponses;
  readonly failed: number;
  readonly failures: readonly string[];
}

/** Prints the measurements and returns them with their targets. */
export function reportLive(context: BenchContext, found: Found): BenchResult {
  const { records, before, during, last, changeMs, rollbackMs, killed, peaks, checked, failed } = found;
  context.table(`Submissions during a re-rank of ${records} records`, [
    ['', 'sent', 'final', 'pending', 'shed', 'odd', 'p50', 'p99', 'worst'],
    row('before', before),
    row('during', during),
    row(`${killed.kills} kills in ${killed.runs} runs`, last),
  ]);
  context.table('Checked reads', [
    ['leaderboards', 'profiles', 'versions', 'of methodology 1', 'of methodology 2', 'failed'],
    [
      ...[checked.leaderboards, checked.profiles, checked.versions, checked.byMethodology[1] ?? 0].map(String),
      ...[checked.byMethodology[2] ?? 0, failed].map(String),
    ],
  ]);
  const p99 = {
    name: 'p99 during a re-rank',
    value: threeDigits(during.p99),
    unit: 'ms',
    ratio: threeDigits(during.p99 / before.p99),
    against: 'p99 before',
    target: { atMost: MAX_P99_RATIO },
  };
  const figures = [
    p99,
    { name: 'failed reads', value: failed, unit: 'reads', ratio: null, against: 'none', target: { atMost: 0 } },
    { name: 're-rank', value: threeDigits(changeMs), unit: 'ms', ratio: null, against: '' },
    { name: 'rollback', value: threeDigits(rollbackMs), unit: 'ms', ratio: null, against: '' },
    {
      name: 'most memory of a worker',
      value: threeDigits(peaks.worker / MIB),
      unit: 'MiB',
      ratio: null,
      against: '',
    },
    { name: 'most memory of the api', value: threeDigits(peaks.api / MIB), unit: 'MiB', ratio: null, against: '' },
  ];
  return { ...p99, name: 'rerank-live', figures, details: { ...found } };
}

function row(name: string, { sent, accepted, pending, shed, odd, p50, p99, worst }: SteadyReport): string[] {
  const counts = [sent, accepted, pending, shed, odd.length].map(String);
  return [name, ...counts, ...[p50, p99, worst].map((ms) => `${ms.toFixed(0)} ms`)];
}
