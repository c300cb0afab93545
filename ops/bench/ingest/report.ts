import type { BenchContext } from '../frame/bench.ts';
import { floorOf } from './floor.ts';
import { cpuOf, type MeasuredLoad, wholeLoad } from './measure-load.ts';
import type { StageShares } from './stages.ts';

/** Stages below this share of a process's time are left out of the table. */
const SHOWN_SHARE = 0.015;

const ms = (value: number): string => `${value.toFixed(0)} ms`;

export function latencyTable(context: BenchContext, loads: readonly MeasuredLoad[]): void {
  const rows = loads.map(({ name, parts }) => {
    const { accepted, pending, perSecond, batchSize, p50, p90, p99, worst } = wholeLoad(parts);
    const counts = [`${accepted}`, `${pending}`, perSecond.toFixed(0), batchSize.toFixed(0)];
    return [name, ...counts, ms(p50), ms(p90), ms(p99), ms(worst)];
  });
  context.table('Signed snapshots end to end', [
    ['load', 'accepted', 'pending', 'per second', 'batch', 'p50', 'p90', 'p99', 'worst'],
    ...rows,
  ]);
}

/** The parts that no design can leave out beside the whole: they depend on the machine alike. */
export function floorTable(context: BenchContext, loads: readonly MeasuredLoad[]): void {
  const parts = Object.keys(loads[0]?.floor ?? {});
  const us = (of: (load: MeasuredLoad) => number): string[] => loads.map((load) => of(load).toFixed(1));
  context.table('CPU microseconds per snapshot of the parts that no design can leave out, each bare', [
    ['part', ...loads.map(({ name }) => name)],
    ...parts.map((part) => [part, ...us(({ floor }) => floor[part]!)]),
    ['floor', ...us(({ floor }) => floorOf(floor))],
    ['snapshot', ...us((load) => cpuOf(wholeLoad(load.parts).cpu))],
  ]);
}

export function cpuTable(
  context: BenchContext,
  loads: readonly MeasuredLoad[],
  stages: Readonly<Record<string, StageShares>>,
): void {
  for (const load of loads) {
    const { cpu } = wholeLoad(load.parts);
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
  const first = loads[0] === undefined ? {} : wholeLoad(loads[0].parts).cpu;
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
