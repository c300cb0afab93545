import { type BenchContext, type Figure, figure, type Limit } from './bench.ts';
import type { Costs } from './cpu-time.ts';
import { median, medianRatio } from './statistics.ts';

/** Limit of the time and CPU time of the engine's work, as ratios to another commit. */
const MAX_ENGINE_RATIO = 1.05;

/** A measurement of this tree, taken in alternating rounds, against that of the other commit; nothing without one. */
export function againstCommit(
  { trees }: Pick<BenchContext, 'trees'>,
  name: string,
  unit: string,
  taken: readonly (readonly number[])[],
  limit: Limit = {},
): readonly Figure[] {
  const [, other] = trees;
  const [own = [], its] = taken;
  if (other === undefined || its === undefined) return [];
  const compared = { ratio: medianRatio(own, its), peer: `of ${other.name}`, ...limit };
  return [figure(`${name}, against ${other.name}`, median(own), unit, compared)];
}

/** The time and the CPU time of a work of the engine, against those of the other commit. */
export function costsAgainstCommit(
  context: Pick<BenchContext, 'trees'>,
  name: string,
  taken: readonly (readonly Costs[])[],
): readonly Figure[] {
  const limit = { atMost: MAX_ENGINE_RATIO };
  const of = (kind: keyof Costs): number[][] => taken.map((costs) => costs.map((one) => one[kind]));
  return [
    ...againstCommit(context, name, 'ms', of('wallMs'), limit),
    ...againstCommit(context, `CPU time of ${name}`, 'ms', of('cpuMs'), limit),
  ];
}
