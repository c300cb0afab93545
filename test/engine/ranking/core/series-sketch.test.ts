import { expect } from 'chai';
import { COUNT_FIELDS } from '../../../../engine/contract/signing/index.ts';
import { dayOf } from '../../../../engine/ranking/core/operator-state/index.ts';
import { IDENTICAL_PRINTS, seriesSketch } from '../../../../engine/ranking/core/series-sketch.ts';
import { sum } from '../../../../ops/bench/frame/statistics.ts';
import { forgedHistories } from '../../../support/histories/forged.ts';
import type { History } from '../../../support/histories/history.ts';
import { honestHistories } from '../../../support/histories/honest.ts';
import { replay } from '../../../support/histories/replay.ts';
import { runsOf } from '../../../support/long-run.ts';
import { runSeed } from '../../../support/seeded-random.ts';

const sketchOf = (history: History): number[] => seriesSketch([...replay(history, 1)].at(-1)!);
/** Seeds of copies. */
const RUNS = 10;
/** Prints of a sketch, and the least growth of a day that has one. */
const PRINTS = 8;
const LEAST_INPUT = 100;
const LEAST_TOKENS = 10_000;

const countAt = (counts: Float64Array, step: number, field: number): number =>
  counts[step * COUNT_FIELDS.length + field]!;
const shared = (left: readonly number[], right: readonly number[]): number =>
  left.filter((print) => right.includes(print)).length;

/** Whether each day with growth has a print, and there are as many as a sketch holds: a copy then has no others. */
function isSketchedWhole(history: History): boolean {
  const { streams } = [...replay(history, 1)].at(-1)!;
  const growths = streams.flatMap(({ series: { hours, counts } }) => {
    const ends = [...hours.keys()].filter((step) => dayOf(hours[step]!) !== dayOf(hours[step + 1] ?? Infinity));
    return ends
      .slice(1)
      .map((end, index) => COUNT_FIELDS.map((_, at) => countAt(counts, end, at) - countAt(counts, ends[index]!, at)));
  });
  const small = growths.filter(
    ([input = 0, ...others]) => input < LEAST_INPUT || sum([input, ...others]) < LEAST_TOKENS,
  );
  return small.every((growth) => sum(growth) === 0) && sketchOf(history).length === PRINTS;
}

describe('sketches of series', () => {
  const seed = runSeed();

  it('of copies, doubled, shifted and late ones too, share enough prints with the original', () => {
    const kinds = new Set<string>();
    for (let run = 0; run < RUNS; run += 1) {
      for (const { original, ...copy } of forgedHistories(seed + run)) {
        if (original === undefined || !isSketchedWhole(original)) continue;
        kinds.add(copy.kind);
        expect(shared(sketchOf(copy), sketchOf(original)), copy.kind).to.be.at.least(IDENTICAL_PRINTS);
      }
    }
    expect(kinds).to.have.property('size', 5);
  });

  it('of series made again from public ratios, with other cache writes, share nothing', () => {
    const originals = honestHistories(seed, 100).filter((history) => sketchOf(history).length >= IDENTICAL_PRINTS);
    expect(originals).to.have.length.above(5);
    for (const original of originals) {
      const submissions = original.submissions.map((submission, index) => {
        const cacheWrite = submission.counts.cache_write * 2 + index;
        return { ...submission, counts: { ...submission.counts, cache_write: cacheWrite } };
      });
      expect(shared(sketchOf({ ...original, submissions }), sketchOf(original))).to.be.below(IDENTICAL_PRINTS);
    }
  });

  it('of honest operators share next to nothing', () => {
    const holders = new Map<number, number>();
    const sketches = honestHistories(seed, runsOf(200, 10_000)).map(sketchOf);
    for (const print of sketches.flat()) holders.set(print, (holders.get(print) ?? 0) + 1);
    const most = Math.max(...sketches.map((sketch) => sketch.filter((print) => holders.get(print)! > 1).length));
    expect(sketches.filter(({ length }) => length >= IDENTICAL_PRINTS)).to.have.length.above(sketches.length / 3);
    expect(most).to.be.below(IDENTICAL_PRINTS);
  });
});
