import { MIB } from '../../../../config/units.ts';
import { type BenchContext, type BenchResult, figure } from '../../frame/bench.ts';
import type { LoadReport } from '../../ingest/client-main.ts';
import type { CheckedResponses } from './check-responses.ts';

const MAX_P99_RATIO = 2;

/** Measurements of a run of the bench. */
export interface Found {
  readonly records: number;
  readonly before: LoadReport;
  readonly during: LoadReport;
  readonly last: LoadReport;
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
  const [own, peer] = [during.latencies.p99, before.latencies.p99];
  const p99 = figure('p99 during a re-rank', own, 'ms', own / peer, 'p99 before', { atMost: MAX_P99_RATIO });
  const figures = [
    p99,
    figure('failed reads', failed, 'reads', null, 'none', { atMost: 0 }),
    figure('re-rank', changeMs, 'ms'),
    figure('rollback', rollbackMs, 'ms'),
    figure('most memory of a worker', peaks.worker / MIB, 'MiB'),
    figure('most memory of the api', peaks.api / MIB, 'MiB'),
  ];
  return { ...p99, name: 'rerank-live', figures, details: { ...found } };
}

function row(name: string, { sent, accepted, pending, shed, odd, latencies }: LoadReport): string[] {
  const { p50, p99, worst } = latencies;
  const counts = [sent, accepted, pending, shed, odd].map(String);
  return [name, ...counts, ...[p50, p99, worst].map((ms) => `${ms.toFixed(0)} ms`)];
}
