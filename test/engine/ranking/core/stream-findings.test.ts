import { expect } from 'chai';
import { countsAt } from '../../../../engine/contract/signing/index.ts';
import { THRESHOLDS } from '../../../../engine/integrity/index.ts';
import {
  applySamples,
  emptyState,
  readSamples,
  samplesOf,
} from '../../../../engine/ranking/core/operator-state/index.ts';
import { streamFindings } from '../../../../engine/ranking/core/stream-findings.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';
import { type Four, plus, times } from '../../../support/histories/forge.ts';
import { forgedHistories } from '../../../support/histories/forged.ts';
import { replay } from '../../../support/histories/replay.ts';
import { runSeed } from '../../../support/seeded-random.ts';

const methodology = METHODOLOGIES.get(3)!;
const SEED = runSeed();
const HOUR = 500_000;
const DAYS = 20;

interface Use {
  readonly ledger: string;
  readonly platform?: string;
  readonly days?: number;
  readonly day: (index: number) => Four;
}

const stateOf = (...uses: readonly Use[]) => {
  const samples = uses.flatMap(({ ledger, platform = 'codex', days = DAYS, day }) => {
    let sums: Four = [0, 0, 0, 0];
    return Array.from({ length: days }, (_, index) => {
      sums = plus(sums, day(index));
      return { ledger, platform, epoch: 0, hour: HOUR - 24 * (days - index), counts: countsAt(sums) };
    });
  });
  return applySamples(emptyState(HOUR), samples, HOUR).operatorState;
};

const rulesOf = (...uses: readonly Use[]) => [...streamFindings(stateOf(...uses), methodology).keys()];

/** Days of an honest operator, which differ from each other; a stream of each seed has others. */
const honest =
  (seed: number): Use['day'] =>
  (index) => {
    const varied = (span: number): number => (seed * (index + 3) * 7_919_321) % span;
    return [30_001 + varied(9_973), 10_001 + varied(4_973), 300_007 + varied(99_991), 0];
  };
/** Nine streams of so much input a day. */
const parts = (input: number): Use[] =>
  Array.from({ length: 9 }, (_, index) => {
    const day = (at: number): Four => [input, 4e4 + at * index, 100 + at, 0];
    return { ledger: `ledger-${index}`, platform: 'claude-code', days: 4, day };
  });
const one = { ledger: 'ledger-one', day: honest(3) };

describe('findings about single streams', () => {
  it('are none of streams that differ, or of one stream, whatever its ratios', () => {
    expect(rulesOf(one, { ledger: 'ledger-two', day: honest(5) })).to.deep.equal([]);
    expect(
      rulesOf({ ledger: 'ledger-one', day: (index) => [200 + index, 7e5 + index, 2e8 + index, 2e6] }),
    ).to.deep.equal([]);
  });

  it('compare the ratios of a stream with the bounds of its platform, though the sum is within them', () => {
    const side = {
      ledger: 'ledger-two',
      platform: 'claude-code',
      day: (index: number): Four => [200, 4e4 + index, 2e8, 2e6],
    };
    const found = streamFindings(stateOf(one, side), methodology).get('unusual-stream');
    expect(found).to.include({ platform: 'claude-code', measure: 'leverage', measured: 1e6, bound: 250_000, ratio: 4 });
    expect(
      rulesOf(one, { ...one, ledger: 'ledger-two', day: (index) => [22_000 + index, 1, 4e6 + index, 0] }),
    ).to.deep.equal(['unusual-stream']);
    expect(rulesOf(one, { ...side, day: (index) => [1_600, 4e5 + index, 2e8, 2e6] })).to.deep.equal([]);
  });

  it('compare the streams of a platform together, each of which has less than a row needs, whatever else is there', () => {
    const empty: Use = { ledger: 'a-ledger-without-counts', platform: 'claude-code', days: 1, day: () => [0, 0, 0, 0] };
    expect(rulesOf(one, ...parts(1))).to.deep.equal(['unusual-stream']);
    expect(rulesOf(empty, one, ...parts(1))).to.deep.equal(['unusual-stream']);
    expect(rulesOf(one, ...parts(40))).to.deep.equal([]);
    expect(rulesOf(one, parts(1)[0]!)).to.deep.equal([]);
  });

  it('find the same growth in three streams, but not in two, as after the loss of settings', () => {
    const copies = ['ledger-two', 'ledger-three'].map((ledger) => ({ ...one, ledger }));
    const found = streamFindings(stateOf(one, ...copies), methodology).get('repeated-stream');
    expect(found).to.include({ measure: 'sharedGrowths', measured: DAYS - 1, bound: THRESHOLDS.shared_growths });
    expect(rulesOf(one, copies[0]!, { ledger: 'ledger-other', day: honest(5) })).to.deep.equal([]);
    const few = THRESHOLDS.shared_growths + 1;
    expect(rulesOf(...[one, ...copies].map((each) => ({ ...each, days: few })))).to.deep.equal([]);
    expect(rulesOf(...[one, ...copies].map((each) => ({ ...each, days: few + 1 })))).to.deep.equal(['repeated-stream']);
  });

  it('find a count that is multiplied', () => {
    for (const factors of [
      [1, 10, 1, 1],
      [1, 1, 3, 1],
      [1, 1, 1, 50],
    ]) {
      const day: Use['day'] = (index) => times(plus(honest(3)(index), [0, 0, 0, honest(7)(index)[2]]), ...factors);
      const found = streamFindings(stateOf({ ledger: 'ledger-one', day }), methodology);
      expect([...found.keys()], String(factors)).to.deep.equal(['multiplied-counts']);
      expect(found.get('multiplied-counts')).to.include({ measured: DAYS, bound: THRESHOLDS.multiples });
      expect(rulesOf({ ledger: 'ledger-one', days: THRESHOLDS.multiples, day })).to.deep.equal([]);
    }
  });

  it('find no multiples that blocks of caches, cached prompts or equal requests have, nor those of input', () => {
    const days: Readonly<Record<string, Use['day']>> = {
      blocks: (index) => times(times(honest(3)(index), 1, 1, 0.1, 1), 3, 2, 128, 1),
      'blocks of a server': (index) => times(times(honest(3)(index), 1, 1, 0.01, 1), 1, 1, 528, 1),
      'a cached prompt': (index) => times(times(honest(3)(index), 1, 1, 0.01, 1), 1, 1, 1_237, 1),
      runs: (index) => times([6, 24, 30_000, 9_000], 20 + index),
      nothing: () => [0, 0, 0, 0],
    };
    for (const [kind, day] of Object.entries(days)) {
      const use = { ledger: 'ledger-one', platform: 'openclaw', day };
      expect(rulesOf(use, { ...use, ledger: 'ledger-two', days: 1 }), kind).to.deep.equal([]);
    }
  });

  it(`are the same of exported samples (seed ${SEED})`, () => {
    const found = new Set<string>();
    for (const history of forgedHistories(SEED)) {
      for (const state of replay(history, 2)) {
        const findings = streamFindings(state, methodology);
        expect(streamFindings(readSamples(samplesOf(state), state.hour), methodology)).to.deep.equal(findings);
        for (const rule of findings.keys()) found.add(rule);
      }
    }
    expect([...found]).to.include.members(['multiplied-counts', 'unusual-stream']);
  });
});
