import { expect } from 'chai';
import * as fc from 'fast-check';
import { HOUR_MS } from '../../../../../config/units.ts';
import { WINDOWS } from '../../../../../engine/contract/windows.ts';
import { maskOf, rulesIn, WAIVABLE, windowNumber } from '../../../../../engine/integrity/index.ts';
import {
  applySamples,
  collectSamples,
  emptyState,
  type OperatorState,
  samplesOf,
  stateAt,
  type UsageSample,
  witnessedTotals,
} from '../../../../../engine/ranking/core/operator-state/index.ts';
import { receiptKey } from '../../../../../engine/ranking/core/operator-state/receipts.ts';
import {
  keptDays,
  vouchingDays,
  type Witness,
  witnessOf,
} from '../../../../../engine/ranking/core/operator-state/witness.ts';
import { scoreRecord } from '../../../../../engine/ranking/core/score-record.ts';
import { decodeState, encodeState } from '../../../../../engine/ranking/storage/operator-codec.ts';
import { runsOf } from '../../../../support/long-run.ts';
import { naiveIntegrity, naiveSpreads, naiveVouching, naiveWitness } from '../../../../support/naive-integrity.ts';
import { naiveUsage, snapshotOf } from '../../../../support/naive-usage.ts';
import { OTHER_METHODOLOGY, useOtherBounds } from '../../../../support/other-bounds.ts';
import { runSeed } from '../../../../support/seeded-random.ts';
import { HOURS_PER_DAY, NOON } from './arbitraries.ts';

const RUNS = { numRuns: runsOf(80, 3_000), seed: runSeed() };
const TODAY = NOON / HOURS_PER_DAY - 0.5;

/** A sample dated `age` hours before its receipt, `ago` days ago. */
function received(
  ago: number,
  age: number,
  epoch: number,
  [input, output, cache_read, cache_write]: readonly number[],
) {
  const hour = NOON - ago * HOURS_PER_DAY;
  const counts = { input: input!, output: output!, cache_read: cache_read!, cache_write: cache_write! };
  const dated = { epoch, hour: hour - age, counts, receipt: receiptKey(hour * HOUR_MS, hour - age) };
  return { ledger: 'ledger-one', platform: 'claude-code', ...dated } satisfies UsageSample;
}

/** The witnessed growth by day. */
const growthOf = (witness: Witness): Map<number, number[]> =>
  new Map(
    keptDays(witness).map((day) => {
      const at = (day - witness.first) * 4;
      return [day, [...witness.growth.subarray(at, at + 4)]];
    }),
  );

const counts = (times: number): number[] => [1_000 * times, 5_000 * times, 9_000 * times, 0];

const evenDay = (ago: number, epoch: number, times: number, reads = 9_000) =>
  received(ago, 0, epoch, [1_000 * times, 1_000 * times, reads * times, 0]);

const vouchedOf = (of: OperatorState) => [1, 9, 243, 244].map((y) => vouchingDays(witnessOf(of.streams, of.older), y));

/** A stream that grows at some pace, received on many of the last days, some of it late, in part under a later epoch. */
const growingStream = fc
  .record({
    stream: fc.record({
      ledger: fc.constantFrom('ledger-one', 'ledger-two'),
      platform: fc.constantFrom('claude-code', 'codex', 'codex-cli'),
    }),
    rate: fc.tuple(
      fc.constantFrom(0, 1, 9, 100, 5_000),
      ...[0, 1, 2].map(() => fc.constantFrom(0, 1, 40, 400, 1_000, 9_000)),
    ),
    days: fc
      .constantFrom(1, 10, 50)
      .chain((least) => fc.uniqueArray(fc.nat(70), { minLength: least, maxLength: 60, size: 'max' })),
    lateEvery: fc.constantFrom(1, 3, 5, 99),
    epochFrom: fc.constantFrom(99, 99, 20, 3),
    varied: fc.constantFrom(0, 0.2, 3),
  })
  .map(({ stream, rate, days, lateEvery, epochFrom, varied }) => {
    let sums = rate.map(() => 0);
    return days
      .toSorted((a, b) => b - a)
      .map((ago, index): UsageSample => {
        const age = index % lateEvery === lateEvery - 1 ? 24 * (ago % 7) : ago % 5;
        sums = sums.map(
          (count, field) => count + Math.round(rate[field]! * (1 + varied * ((index * (field + 3)) % 4))),
        );
        return { ...received(ago, age, ago < epochFrom ? 0 : 1, sums), ...stream };
      });
  })
  .map((samples) => samples.map((sample, at) => (at % 11 === 10 ? { ...sample, epoch: 2 - sample.epoch } : sample)));
const anyUsage = fc.array(growingStream, { minLength: 1, maxLength: 3 }).map((streams) => streams.flat());

/** One stream that grew at one pace on each of the last days: what has enough vouching days for any Yield. */
const steady = fc
  .record({
    platform: fc.constantFrom('claude-code', 'codex', 'codex-cli'),
    days: fc.constantFrom(2, 5, 10, 20, 40),
    output: fc.constantFrom(100, 400, 1_000, 2_000, 9_000),
  })
  .map(({ platform, days, output }) =>
    Array.from({ length: days }, (_, at) => {
      const sums = [1_000, output, output, 9_000].map((count) => count * (at + 1));
      return { ...received(days - at - 1, 0, 0, sums), platform };
    }),
  );

const applied = (samples: readonly UsageSample[], hour = NOON): OperatorState =>
  applySamples(collectSamples(emptyState(hour), samples).operatorState, [], hour).operatorState;
/** Samples as they come: those of each day of receipt at its noon. */
function live(samples: readonly UsageSample[]): OperatorState {
  let state = emptyState(NOON - 100 * HOURS_PER_DAY);
  for (let ago = 70; ago >= 0; ago--) {
    const day = TODAY - ago;
    const own = samples.filter(({ receipt }) => receipt! >> 1 === day);
    state = applySamples(state, own, NOON - ago * HOURS_PER_DAY).operatorState;
  }
  return state;
}
const shuffledTwice = anyUsage.chain((samples) =>
  fc.tuple(
    fc.constant(samples),
    fc.shuffledSubarray([...samples, ...samples], { minLength: samples.length * 2 }),
    fc.nat(samples.length * 2),
  ),
);

describe('witnessed days', () => {
  useOtherBounds();

  it(`are the same for any order, grouping and repetition, live and recomputed, and from the stored state (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(shuffledTwice, ([samples, shuffled, cut]) => {
        const once = applied(samples);
        const first = collectSamples(emptyState(NOON), shuffled.slice(0, cut)).operatorState;
        const other = collectSamples(first, shuffled.slice(cut)).operatorState;
        expect(applySamples(other, [], NOON).operatorState).to.deep.equal(once);
        expect(stateAt(live(samples), NOON)).to.deep.equal(stateAt(once, NOON));
        expect(decodeState(encodeState(once))).to.deep.equal(once);
      }),
      RUNS,
    );
  });

  it(`have the growth of the model, and vouch for its Yields, also months later (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(anyUsage, fc.nat(100), fc.double({ min: -6, max: 12, noNaN: true }), (samples, wait, exponent) => {
        const hour = NOON + wait * HOURS_PER_DAY;
        const now = hour * HOUR_MS + 1;
        const state = applySamples(live(samples), [], hour).operatorState;
        for (const platform of [null, 'codex']) {
          const snapshots = samples
            .filter((sample) => platform === null || sample.platform === platform)
            .map(snapshotOf);
          const model = naiveWitness(snapshots, now);
          const witness = witnessOf(state.streams, state.older, platform);
          expect(growthOf(witness)).to.deep.equal(model.growth);
          expect(vouchingDays(witness, 3 ** exponent)).to.equal(naiveVouching(model, 3 ** exponent));
          if (platform !== null) continue;
          const ever = model.growth.size + model.older.reduce((sum, { days }) => sum + days, 0);
          expect(state.witnessed).to.deep.equal({ recent: model.growth.size, ever });
          for (const [window, expected] of naiveSpreads(snapshots, now).entries()) {
            expect(windowNumber(state.totals, window, 'days'), WINDOWS[window]).to.equal(expected.days);
            expect(windowNumber(state.totals, window, 'spread')).to.be.closeTo(expected.spread, 1e-9);
          }
        }
      }),
      RUNS,
    );
  });

  it(`judge rows as the model does, also from exported samples, with all steps of need (seed ${RUNS.seed})`, () => {
    const seen = new Set<string>();
    const assertions = fc.record({
      finding: fc.constantFrom('', '', '', 'identical-series', 'review'),
      accepted: fc.constantFrom(0, 3, 1e9),
    });
    fc.assert(
      fc.property(
        fc.oneof(anyUsage, steady),
        assertions,
        fc.constantFrom(0, 0, 30),
        (samples, { finding, accepted }, wait) => {
          const hour = NOON + wait * HOURS_PER_DAY;
          const now = hour * HOUR_MS + 1;
          const state = applySamples(live(samples), [], hour).operatorState;
          const waived = Float64Array.from(WAIVABLE, (name) => (name === 'extraordinary-yield' ? accepted : 0));
          const record = {
            totals: state.totals,
            assertions: { findings: maskOf(({ name }) => name === finding), waived },
          };
          const stored = scoreRecord(record, OTHER_METHODOLOGY).map(({ mask, score, row, need, vouching }) => {
            const flags = rulesIn(mask).map(({ name }) => name);
            return { flags, row, vouching, need: need.days, yield_: row === 'settled' ? score!.yield_ : null };
          });
          const asserted = { findings: [finding], waived: { 'extraordinary-yield': accepted } };
          for (const [from, older] of [
            [samples, []],
            [samplesOf(state), state.older],
          ] as const) {
            const snapshots = from.map(snapshotOf);
            const usage = naiveUsage(snapshots, now);
            expect(naiveIntegrity(snapshots, usage, now, OTHER_METHODOLOGY, { ...asserted, older })).to.deep.equal(
              stored,
            );
          }
          for (const { row, need, flags } of stored) for (const each of [`${row} ${need}`, ...flags]) seen.add(each);
        },
      ),
      { ...RUNS, numRuns: runsOf(400, 5_000) },
    );
    // Which of them occur in a short run is left to chance.
    const needs = new Set([...seen].map((each) => Number(each.split(' ')[1])));
    expect([...needs]).to.include.members([0, 3, 7, 14, 30]);
    const rules = new Set([...seen].flatMap((each) => each.split(',')));
    expect([...rules]).to.include.members(['extraordinary-yield', 'no-input', 'identical-series', 'review']);
  });

  it(`of a season are those before its end, whatever arrived later (seed ${RUNS.seed})`, () => {
    const even = Array.from({ length: 10 }, (_, at) => evenDay(9 - at, 0, at + 1));
    const season = witnessedTotals(applied(even), TODAY - 9, TODAY - 4);
    expect([...season.subarray(0, 4)], 'of five days').to.deep.equal([5_000, 5_000, 45_000, 0]);
    expect(windowNumber(season, 0, 'vouching')).to.equal(5);
    fc.assert(
      fc.property(anyUsage, fc.integer({ min: 1, max: 40 }), fc.nat(40), (samples, days, ago) => {
        const until = TODAY - ago;
        const totalsOf = (own: readonly UsageSample[]) => witnessedTotals(applied(own), until - days, until);
        const before = samples.filter(({ receipt }) => receipt! >> 1 < until);
        expect(totalsOf(samples)).to.deep.equal(totalsOf(before));
      }),
      RUNS,
    );
  });

  it('are one for each day of receipt at most, and none of what is dated earlier', () => {
    const dates = Array.from({ length: 60 }, (_, at) => received(0, (60 - at) * HOURS_PER_DAY, 0, counts(at + 1)));
    expect(applied(dates).witnessed, 'back-dated').to.deep.equal({ recent: 1, ever: 1 });
    expect(applied(dates.slice(0, 58)).witnessed, 'imported').to.deep.equal({ recent: 0, ever: 0 });
    const [grown] = growthOf(witnessOf(applied(dates).streams, [])).values();
    expect(grown, 'the last two of them').to.deep.equal(
      counts(2).map((_, field) => counts(60)[field]! - counts(58)[field]!),
    );
    expect(applied([received(0, 0, 1, [0, 0, 0, 0])]).witnessed, 'an empty epoch').to.deep.equal({
      recent: 0,
      ever: 0,
    });
    const again = [received(3, 0, 0, counts(1)), received(1, 0, 0, counts(1))];
    expect(applied(again).witnessed, 'without growth').to.deep.equal({ recent: 1, ever: 1 });
  });

  it('vouch by themselves, whatever epoch they are of, and after 45 days by powers of three of their Yield', () => {
    const state = applied([evenDay(2, 0, 1, 3_000), evenDay(1, 0, 4, 9_000), evenDay(0, 1, 1, 81_000)]);
    expect(vouchedOf(state)).to.deep.equal([3, 3, 1, 0]);
    const later = applySamples(state, [], NOON + 60 * HOURS_PER_DAY).operatorState;
    expect(later.witnessed).to.deep.equal({ recent: 0, ever: 3 });
    expect(later.streams.every(({ receipts }) => receipts.keys.length === 1)).to.equal(true);
    expect(vouchedOf(later)).to.deep.equal([3, 3, 1, 1]);
  });
});
