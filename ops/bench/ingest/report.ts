import type { BenchContext } from '../frame/bench.ts';
import { median } from '../frame/statistics.ts';
import { cpuOf, type MeasuredLoad, wholeLoad } from './measure-load.ts';
import type { StageShares } from './stages.ts';

/** Stages below this share of a process's time are left out of the table. */
const SHOWN_SHARE = 0.015;

const ms = (value: number): string => `${value.toFixed(0)} ms`;

export function latencyTable(context: BenchContext, loads: readonly MeasuredLoad[]): void {
  const rows = loads.map((load) => {
    const { accepted, pending, perSecond, ratio, batchSize, p50, p90, p99, worst } = wholeLoad(load);
    const counts = [`${accepted}`, `${pending}`, perSecond.toFixed(0), ratio.toFixed(3), batchSize.toFixed(0)];
    return [load.name, ...counts, ms(p50), ms(p90), ms(p99), ms(worst)];
  });
  const peers = loads.flatMap(({ parts }) => parts.map(({ peer }) => peer));
  const perSecond = median(peers.map((peer) => peer.perSecond)).toFixed(0);
  const cpu = median(peers.map((peer) => peer.cpu)).toFixed(0);
  context.table(`Signed snapshots end to end; bare verifications of one core: ${perSecond}/s, ${cpu} us each`, [
    ['load', 'accepted', 'pending', 'per second', 'ratio', 'batch', 'p50', 'p90', 'p99', 'worst'],
    ...rows,
  ]);
}

export function cpuTable(
  context: BenchContext,
  loads: readonly MeasuredLoad[],
  stages: Readonly<Record<string, StageShares>>,
): void {
  for (const load of loads) {
    const { cpu } = wholeLoad(load);
    context.table(`CPU microseconds per snapshot, ${load.name}: ${cpuOf(cpu).toFixed(0)} in total`, [
      ['process', 'main thread', 'other threads', 'sum'],
      ...Object.entries(cpu).map(([process, { main, others }]) => [
        process,
        main.toFixed(1),
        others.toFixed(1),
        (main + others).toFixed(1),
      ]),
    ]);
  }
  const first = loads[0] === undefined ? {} : wholeLoad(loads[0]).cpu;
  for (const [process, shares] of Object.entries(stages)) {
    const main = first[process]?.main ?? 0;
    context.table(`Time of the main thread of ${process} by stage (of ${main.toFixed(0)} us, from a profile)`, [
      ['stage', 'share', 'us'],
      ...shares
        .filter(([, share]) => share >= SHOWN_SHARE)
        .map(([stage, share]) => [stage, `${(share * 100).toFixed(1)} %`, (share * main).toFixed(1)]),
    ]);
  }
}
