import { expect } from 'chai';
import { parseProofArguments } from '../../../../ops/bench/proof/arguments.ts';
import { compareResults } from '../../../../ops/bench/proof/compare.ts';
import { failed, measured, resultsOf } from './sample-results.ts';

const reads = (leaderboard: number, profile: number) =>
  resultsOf({ reads: measured('reads', { leaderboard, 'warm profile': profile }) });

const latency = (ratio: number) => resultsOf({ load: measured('load', { 'verdict p99 at half the limit': ratio }) });

describe('a second run of the proof', () => {
  it('may differ by a quarter in its ratios', () => {
    const changes = compareResults(reads(0.8, 0.8), reads(1, 0.59));
    expect(changes.map(({ what, off }) => [what, off])).to.deep.equal([
      ['reads: leaderboard', false],
      ['reads: warm profile', true],
    ]);
    expect(changes.map(({ change }) => change.toFixed(3))).to.deep.equal(['0.250', '-0.263']);
  });

  it('is reported, not checked, for values with a fixed limit', () => {
    const [change] = compareResults(latency(1), latency(2));
    expect(change).to.include({ checked: false, off: false, change: 1 });
  });

  it('is compared where both runs have figures', () => {
    expect(compareResults(reads(1, 1), resultsOf({ reads: failed('reads', 'fell') }))).to.deep.equal([]);
  });
});

describe('the arguments of the proof', () => {
  it('select all parts, or some in their fixed order', () => {
    expect(parseProofArguments([]).only).to.include.members(['reads', 'load', 'faults']);
    expect(parseProofArguments(['--only=load,reads', '--compare'])).to.deep.equal({
      mode: 'compare',
      only: ['reads', 'load'],
    });
  });

  it('must be known', () => {
    expect(() => parseProofArguments(['--only=nothing'])).to.throw('nothing: the parts are reads');
    expect(() => parseProofArguments(['--fast'])).to.throw('--fast is none of');
  });
});
