import { expect } from 'chai';
import { SOURCES } from '../../../cli/src/sources/registry.ts';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import {
  COUNT_FIELDS,
  MAX_CLOCK_SKEW_MS,
  MAX_EPOCH,
  MAX_SNAPSHOT_AGE_MS,
  PLATFORM_PATTERN,
} from '../../../engine/contract/signing/index.ts';
import { runSeed } from '../seeded-random.ts';
import { forgedHistories } from './forged.ts';
import { type History, PRESENT } from './history.ts';
import { honestHistories } from './honest.ts';
import { HONEST_KINDS } from './honest-kinds.ts';
import { SOURCE_MODELS } from './source-models.ts';
import { seriesOf, violationOf } from './violation.ts';

function expectWithinContract({ kind, submissions }: History): void {
  expect(submissions, kind).to.not.be.empty;
  for (const [index, { at, asOf, stream, platform, epoch }] of submissions.entries()) {
    expect(at % 1_000 === 0 && asOf % 1_000 === 0, `${kind}: whole seconds`).to.equal(true);
    expect(at, `${kind}: order`).to.be.within(submissions[Math.max(0, index - 1)]!.at, PRESENT + HOUR_MS);
    expect(at - asOf, `${kind}: age`).to.be.within(-MAX_CLOCK_SKEW_MS, MAX_SNAPSHOT_AGE_MS);
    expect(stream).to.match(/^[A-Za-z0-9_-]{8,64}$/);
    expect(platform).to.match(PLATFORM_PATTERN);
    expect(epoch).to.be.within(0, MAX_EPOCH);
  }
}

describe('honest histories', () => {
  const seed = runSeed();
  const pairs = Object.keys(HONEST_KINDS).length * SOURCE_MODELS.length;
  const histories = honestHistories(seed, pairs);

  it('are of at least 30 kinds, each with each source that the tool reads', () => {
    expect(SOURCE_MODELS.map(({ platform }) => platform)).to.deep.equal(SOURCES.map(({ platform }) => platform));
    expect(Object.keys(HONEST_KINDS)).to.have.length.of.at.least(30);
    expect(new Set(histories.map(({ kind, source }) => `${kind} ${source}`)).size).to.equal(pairs);
  });

  it('follow from the seed', () => {
    expect(honestHistories(seed, 60)).to.deep.equal(histories.slice(0, 60));
    expect(honestHistories(seed + 1, 60)).to.not.deep.equal(histories.slice(0, 60));
  });

  it('keep to the contract', () => {
    for (const history of histories) expectWithinContract(history);
  });

  it('have whole counts that never fall in the epoch of a ledger', () => {
    for (const history of histories) {
      for (const series of seriesOf(history)) {
        for (const [index, { counts }] of series.entries()) {
          const before = series[Math.max(0, index - 1)]!.counts;
          for (const field of COUNT_FIELDS) {
            expect(counts[field], `${history.kind} ${history.source}`).to.be.at.least(before[field]);
            expect(Number.isSafeInteger(counts[field]), history.kind).to.equal(true);
          }
        }
      }
    }
  });

  it('have totals at most hourly in the last 8 days, and daily before', () => {
    for (const history of histories.filter(({ kind }) => kind !== 'repeated-submissions')) {
      for (const series of seriesOf(history)) {
        const live = series.filter(({ at, asOf }) => Math.abs(at - asOf) < 10 * 60_000);
        for (const [index, { at }] of live.entries()) {
          const gap = at - (live[index - 1]?.at ?? -Infinity);
          expect(gap, history.kind).to.be.at.least((at < PRESENT - 8 * DAY_MS ? DAY_MS : HOUR_MS) - 10 * 60_000);
        }
      }
    }
  });

  it('violate neither arithmetic nor physics', () => {
    const wrong = histories.filter((history) => !history.honest || history.beyond !== violationOf(history));
    expect(wrong.map(({ kind, source }) => `${kind} ${source}`)).to.deep.equal([]);
  });
});

describe('forged histories', () => {
  const seed = runSeed();
  const histories = forgedHistories(seed);

  it('are of at least 70 kinds, one of each', () => {
    expect(histories).to.have.length.of.at.least(70);
    expect(new Set(histories.map(({ kind }) => kind)).size).to.equal(histories.length);
  });

  it('follow from the seed', () => {
    expect(forgedHistories(seed)).to.deep.equal(histories);
    expect(forgedHistories(seed + 1)).to.not.deep.equal(histories);
  });

  it('keep to the contract, but for fractions', () => {
    for (const history of histories) {
      expectWithinContract(history);
      const whole = history.submissions.every(({ counts }) => Object.values(counts).every(Number.isSafeInteger));
      expect(whole, history.kind).to.equal(history.kind !== 'fractions');
    }
  });

  it('violate what they declare to violate', () => {
    const wrong = histories.filter((history) => history.honest || history.beyond !== violationOf(history));
    expect(wrong.map((each) => `${each.kind} ${each.beyond} ${violationOf(each)}`)).to.deep.equal([]);
  });
});
