import { expect } from 'chai';
import { IDENTICAL_PRINTS, seriesSketch } from '../../../../engine/ranking/core/series-sketch.ts';
import { forgedHistories } from '../../../support/histories/forged.ts';
import type { History } from '../../../support/histories/history.ts';
import { honestHistories } from '../../../support/histories/honest.ts';
import { replay } from '../../../support/histories/replay.ts';
import { runsOf } from '../../../support/long-run.ts';
import { runSeed } from '../../../support/seeded-random.ts';

const sketchOf = (history: History): number[] => seriesSketch([...replay(history, 1)].at(-1)!);
const shared = (left: readonly number[], right: readonly number[]): number =>
  left.filter((print) => right.includes(print)).length;

/** Seeds of copies. */
const RUNS = 3;

describe('sketches of series', () => {
  const seed = runSeed();

  it('of copies, doubled, shifted and late ones too, share enough prints with the original', () => {
    const missed = new Map<string, number>();
    for (let run = 0; run < RUNS; run += 1) {
      const copies = forgedHistories(seed + run).flatMap(({ original, ...copy }) =>
        original ? [{ copy, original }] : [],
      );
      expect(copies).to.have.length.of.at.least(5);
      for (const { copy, original } of copies) {
        const isMissed = shared(sketchOf(copy), sketchOf(original)) < IDENTICAL_PRINTS;
        missed.set(copy.kind, (missed.get(copy.kind) ?? 0) + Number(isMissed));
      }
    }
    // About one in a hundred original histories has too few days with a print, and doubled days can take the place of others.
    for (const [kind, times] of missed) expect(times, kind).to.be.at.most(1);
  });

  it('of series made again from public ratios, with other cache writes, share nothing', () => {
    const sketched = honestHistories(seed, 100).filter((history) => sketchOf(history).length >= IDENTICAL_PRINTS);
    const originals = sketched.filter(({ submissions }) => submissions.every(({ counts }) => counts.cache_write > 0));
    expect(originals).to.have.length.above(5);
    for (const original of originals) {
      const submissions = original.submissions.map((submission) => {
        return { ...submission, counts: { ...submission.counts, cache_write: submission.counts.cache_write * 2 } };
      });
      expect(shared(sketchOf({ ...original, submissions }), sketchOf(original))).to.be.below(IDENTICAL_PRINTS);
    }
  });

  it('of honest operators share next to nothing', () => {
    const holders = new Map<number, number>();
    const sketches = honestHistories(seed, runsOf(500, 10_000)).map(sketchOf);
    for (const print of sketches.flat()) holders.set(print, (holders.get(print) ?? 0) + 1);
    const most = Math.max(...sketches.map((sketch) => sketch.filter((print) => holders.get(print)! > 1).length));
    expect(sketches.filter(({ length }) => length >= IDENTICAL_PRINTS)).to.have.length.above(sketches.length / 3);
    expect(most).to.be.below(IDENTICAL_PRINTS);
  });
});
