import type { BenchContext } from '../bench.ts';
import type { VerifyResult } from './client-tasks.ts';
import { cpuOf, type MeasuredLoad } from './measure-load.ts';
import type { StageShares } from './stages.ts';

/** Stages below this share of a process's time are left out of the table. */
const SHOWN_SHARE = 0.015;

const ms = (value: number): string => `${value.toFixed(0)} ms`;

export function latencyTable(context: BenchContext, loads: readonly MeasuredLoad[], peer: VerifyResult): void {
  const rows = loads.map((load) => {
    const { accepted, pending, seconds, p50, p90, p99, worst } = load.result;
    const rate = accepted / seconds;
    const ratio = (rate / peer.perSecond).toFixed(3);
    const group = load.groupSize.toFixed(0);
    return [
      load.name,
      `${accepted}`,
      `${pending}`,
      rate.toFixed(0),
      ratio,
      group,
      ms(p50),
      ms(p90),
      ms(p99),
      ms(worst),
    ];
  });
  const bare = `${peer.perSecond.toFixed(0)}/s, ${peer.cpu.toFixed(0)} us each`;
  context.table(`Signed snapshots end to end; bare verifications of one core: ${bare}`, [
    ['load', 'accepted', 'pending', 'per second', 'ratio', 'group', 'p50', 'p90', 'p99', 'worst'],
    ...rows,
  ]);
}

export function cpuTable(
  context: BenchContext,
  loads: readonly MeasuredLoad[],
  stages: Readonly<Record<string, StageShares>>,
): void {
  for (const { name, cpu } of loads) {
    context.table(`CPU microseconds a snapshot, ${name}: ${cpuOf({ cpu }).toFixed(0)} in all`, [
      ['process', 'first thread', 'other threads', 'sum'],
      ...Object.entries(cpu).map(([process, { main, others }]) => [
        process,
        main.toFixed(1),
        others.toFixed(1),
        (main + others).toFixed(1),
      ]),
    ]);
  }
  const first = loads[0];
  for (const [process, shares] of Object.entries(stages)) {
    const main = first?.cpu[process]?.main ?? 0;
    context.table(`Where the first thread of ${process} spends its time (of ${main.toFixed(0)} us, by a profile)`, [
      ['stage', 'share', 'us'],
      ...shares
        .filter(([, share]) => share >= SHOWN_SHARE)
        .map(([stage, share]) => [stage, `${(share * 100).toFixed(1)} %`, (share * main).toFixed(1)]),
    ]);
  }
}
