import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { HOUR_MS } from '../../../../../config/units.ts';
import { COUNT_FIELDS } from '../../../../../engine/contract/signing/index.ts';
import { WINDOWS } from '../../../../../engine/contract/windows.ts';
import { SOURCES, WINDOW_NUMBERS } from '../../../../../engine/integrity/index.ts';
import {
  applySamples,
  differingNumbers,
  emptyState,
  MAX_STREAMS,
  type OperatorState,
  PLATFORM_NUMBERS,
  samplesOf,
  stateAt,
  streamCounts,
  type UsageSample,
} from '../../../../../engine/ranking/core/operator-state/index.ts';
import { runsOf } from '../../../../support/long-run.ts';
import { naiveUsage, snapshotOf } from '../../../../support/naive-usage.ts';
import { runSeed } from '../../../../support/seeded-random.ts';
import { anySamples, applyHours, HOURS_PER_DAY, integerSamples, NOON } from './arbitraries.ts';

const RUNS = { numRuns: runsOf(100, 3_000), seed: runSeed() };
/** Hours after which every sample has expired from every window. */
const ALL_EXPIRED_HOURS = 240 * HOURS_PER_DAY;

/** Window totals and platforms of the model at an hour. */
function modelAt(samples: readonly UsageSample[], hour: number) {
  const usage = naiveUsage(samples.map(snapshotOf), hour * HOUR_MS + 1);
  return { totals: usage.flatMap(({ totals }) => totals), platforms: usage.map(({ platform }) => platform) };
}

/** The counts of all windows, without what else is known. */
function countsIn({ totals }: OperatorState): number[] {
  return [...totals].filter((_, at) => at % WINDOW_NUMBERS < COUNT_FIELDS.length);
}

function shown(operatorState: OperatorState) {
  return { totals: countsIn(operatorState), platforms: [...operatorState.platforms] };
}

/** The streams without their provenance and receipts. */
function counted({ streams }: OperatorState) {
  return streams.map(({ provenance: _provenance, receipts: _receipts, ...stream }) => stream);
}

/** Applies batches of samples in order, each at its hour. */
function applyBatches(batches: readonly (readonly [hour: number, samples: readonly UsageSample[]])[]): OperatorState {
  return batches.reduce(
    (operatorState, [hour, samples]) => applySamples(operatorState, samples, hour).operatorState,
    emptyState(NOON),
  );
}

/** The same samples shuffled, some repeated, in batches applied at ascending hours. */
const anyDelivery = fc.tuple(anySamples, applyHours).chain(([samples, hours]) => {
  const ascending = hours.toSorted((a, b) => a - b);
  const places = fc.array(fc.integer({ min: 0, max: ascending.length - 1 }), { minLength: 1, maxLength: 3 });
  return fc.tuple(...samples.map((sample) => fc.tuple(fc.constant(sample), places))).chain((placed) => {
    const batches = ascending.map((hour, index) => {
      const batch = placed.filter(([, at]) => at.includes(index)).map(([sample]) => sample);
      return fc.shuffledSubarray(batch, { minLength: batch.length }).map((shuffled) => [hour, shuffled] as const);
    });
    return fc.tuple(fc.constant(samples), fc.tuple(...batches));
  });
});

describe('an operator state', () => {
  it(`has the model's totals at any hour, for any delivery of its samples (seed ${RUNS.seed})`, () => {
    const later = fc.array(fc.integer({ min: 0, max: ALL_EXPIRED_HOURS }), { maxLength: 5 });
    fc.assert(
      fc.property(anyDelivery, later, ([samples, batches], waits) => {
        let operatorState = applyBatches(batches);
        const last = batches.at(-1)![0];
        expect(shown(operatorState)).to.deep.equal(modelAt(samples, last));
        for (const wait of waits.toSorted((a, b) => a - b)) {
          operatorState = applySamples(operatorState, [], last + wait).operatorState;
          expect(shown(operatorState), `${wait} hours later`).to.deep.equal(modelAt(samples, last + wait));
        }
      }),
      RUNS,
    );
  });

  it(`has for each registered platform what the samples of that platform alone come to (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(anyDelivery, ([, batches]) => {
        const { totals, platformTotals, streams } = applyBatches(batches);
        const stored = new Map<string, number[]>();
        for (let at = 0; at < platformTotals.length; at += PLATFORM_NUMBERS) {
          const [source, ...own] = platformTotals.subarray(at, at + PLATFORM_NUMBERS);
          stored.set(SOURCES[source!]!, own);
        }
        const used = new Set(streams.map(({ platform }) => platform));
        if (used.size < 2) expect(stored.size, 'of one platform').to.equal(0);
        for (const platform of used) {
          const ofPlatform = batches.map(
            ([hour, samples]) => [hour, samples.filter((sample) => sample.platform === platform)] as const,
          );
          const alone = [...applyBatches(ofPlatform).totals];
          if (used.size === 1) expect(alone).to.deep.equal([...totals]);
          else if (platform === 'other' || alone.slice(0, 4).every((count) => count === 0))
            expect(stored.has(platform), platform).to.equal(false);
          else expect(stored.get(platform), platform).to.deep.equal(alone);
        }
      }),
      RUNS,
    );
  });

  it(`is the same for any order, grouping and repetition at one hour (seed ${RUNS.seed})`, () => {
    const twice = anySamples.chain((samples) =>
      fc.tuple(
        fc.constant(samples),
        fc.shuffledSubarray([...samples, ...samples], { minLength: samples.length * 2 }),
        fc.integer({ min: 0, max: samples.length * 2 }),
      ),
    );
    fc.assert(
      fc.property(twice, ([samples, shuffled, cut]) => {
        const once = applyBatches([[NOON, samples]]);
        const other = applyBatches([
          [NOON, shuffled.slice(0, cut)],
          [NOON, shuffled.slice(cut)],
        ]);
        expect(other).to.deep.equal(once);
        expect(applySamples(once, shuffled, NOON).operatorState, 'repeated').to.equal(once);
      }),
      RUNS,
    );
  });

  it(`changes at the hour it is due, and at none before (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(integerSamples, (samples) => {
        let operatorState = applyBatches([[NOON, samples]]);
        while (operatorState.nextDue !== null) {
          const due = operatorState.nextDue;
          expect(due).to.be.greaterThan(operatorState.hour);
          for (const hour of [operatorState.hour, Math.floor((operatorState.hour + due) / 2), due - 1]) {
            expect(applySamples(operatorState, [], hour).operatorState, `at ${hour}, due at ${due}`).to.equal(
              operatorState,
            );
            expect(modelAt(samples, hour).totals, `model at ${hour}`).to.deep.equal(countsIn(operatorState));
            const recomputed = applyBatches([[hour, samples]]).totals;
            expect([...recomputed], `statistics at ${hour}`).to.deep.equal([...operatorState.totals]);
          }
          const advanced = applySamples(operatorState, [], due).operatorState;
          expect(countsIn(advanced), `totals at ${due}`).to.not.deep.equal(countsIn(operatorState));
          expect(shown(advanced), `at ${due}`).to.deep.equal(modelAt(samples, due));
          operatorState = advanced;
        }
        expect(modelAt(samples, NOON + ALL_EXPIRED_HOURS).totals, 'after the last').to.deep.equal(
          countsIn(operatorState),
        );
      }),
      RUNS,
    );
  });

  it(`compares equal for any order of samples older than every window (seed ${RUNS.seed})`, () => {
    const shuffled = anySamples.chain((samples) =>
      fc.tuple(fc.constant(samples), fc.shuffledSubarray(samples, { minLength: samples.length })),
    );
    const far = NOON + 130 * HOURS_PER_DAY;
    fc.assert(
      fc.property(shuffled, ([samples, other]) => {
        const one = applyBatches([[far, samples]]);
        const apart = applyBatches(other.map((sample) => [far, [sample]] as const));
        expect(stateAt(one, far)).to.deep.equal(stateAt(apart, far));
        expect(shown(stateAt(one, far))).to.deep.equal(shown(one));
      }),
      RUNS,
    );
  });

  it(`is the same again from its own samples, also of a stream without usage (seed ${RUNS.seed})`, () => {
    const counts = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
    const unused: UsageSample = { ledger: 'ledger-unused', platform: 'codex-cli', epoch: 3, hour: NOON, counts };
    fc.assert(
      fc.property(anySamples, (samples) => {
        const once = applyBatches([[NOON, [...samples, unused]]]);
        expect(applyBatches([[NOON, samplesOf(once)]])).to.deep.equal(once);
      }),
      RUNS,
    );
  });

  it(`has the greatest provenance of each stream's highest epoch (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(anyDelivery, ([samples, batches]) => {
        for (const { ledger, platform, epoch, provenance } of applyBatches(batches).streams) {
          const own = samples.filter((sample) => sample.ledger === ledger && sample.platform === platform);
          const stated = own.flatMap((sample) => (sample.epoch === epoch ? (sample.provenance ?? []) : []));
          const counting = stated.some((one) => one.counting === 'derived') ? 'derived' : 'exact';
          const version = Math.max(...stated.map((one) => one.version));
          expect(provenance).to.deep.equal(stated.length === 0 ? null : { counting, version });
        }
      }),
      RUNS,
    );
  });

  it('never goes back to an hour before its own', () => {
    const sample = { ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, hour: NOON - 168 };
    const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const later = applySamples(emptyState(NOON), [{ ...sample, counts }], NOON + 1).operatorState;
    const more = { ...sample, counts: { ...counts, output: 9 } };
    const { operatorState } = applySamples(later, [more], NOON);
    expect(operatorState.hour).to.equal(NOON + 1);
    expect(shown(operatorState)).to.deep.equal(modelAt([{ ...sample, counts }, more], NOON + 1));
  });

  it('keeps 64 streams, and rejects a sample of another', () => {
    const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const sampleOf = (ledger: number, output: number): UsageSample => ({
      ledger: `ledger-${ledger}`,
      platform: 'codex-cli',
      epoch: 0,
      hour: NOON,
      counts: { ...counts, output },
    });
    const many = Array.from({ length: MAX_STREAMS }, (_, ledger) => sampleOf(ledger, 2));
    const full = applySamples(emptyState(NOON), many, NOON);
    expect(new Set(full.outcomes)).to.deep.equal(new Set(['changed']));
    expect(full.operatorState.streams).to.have.length(64);
    const next = applySamples(full.operatorState, [sampleOf(MAX_STREAMS, 2), sampleOf(0, 7)], NOON);
    expect(next.outcomes).to.deep.equal(['stream_limit', 'changed']);
    expect(next.operatorState.streams).to.have.length(64);
    expect(shown(next.operatorState)).to.deep.equal(modelAt([...many, sampleOf(0, 7)], NOON));
  });

  describe('with streams that do not grow', () => {
    const DAYS = HOURS_PER_DAY;
    const counts = { input: 0.1, output: 0.2, cache_read: 0.3, cache_write: 0 };
    const sampleOf = (ledger: number, hour: number, times = 1): UsageSample => ({
      ledger: `ledger-${ledger}`,
      platform: ledger % 2 === 0 ? 'codex-cli' : 'claude-code',
      epoch: 0,
      hour,
      counts: { ...counts, output: 0.2 * times },
    });
    const many = Array.from({ length: MAX_STREAMS }, (_, ledger) => sampleOf(ledger, NOON));
    const next = sampleOf(MAX_STREAMS, NOON + 7 * DAYS);
    const full = applySamples(emptyState(NOON), many, NOON).operatorState;

    it('gives their places to others after 7 full days, and no earlier', () => {
      expect(applySamples(full, [next], NOON + 7 * DAYS).outcomes).to.deep.equal(['stream_limit']);
      const later = applySamples(full, [next], NOON + 8 * DAYS);
      expect(later.outcomes).to.deep.equal(['changed']);
      expect(shown(later.operatorState)).to.deep.equal(modelAt([...many, next], NOON + 8 * DAYS));
    });

    it('sums them for each platform, with every count of all time in the list', () => {
      const { active, retired } = streamCounts(full, NOON + 8 * DAYS);
      expect(active).to.deep.equal([]);
      expect(retired.map(({ platform, streams }) => [platform, streams])).to.deep.equal([
        ['codex-cli', 32],
        ['claude-code', 32],
      ]);
      for (const { counts: sums } of retired) expect(sums.cache_read).to.be.closeTo(32 * 0.3, 1e-12);
      expect(streamCounts(full, NOON).active).to.have.length(MAX_STREAMS);
    });

    it('continues one that grows again, beyond the limit too, and counts it once', () => {
      const others = Array.from({ length: MAX_STREAMS }, (_, index) => sampleOf(MAX_STREAMS + index, NOON + 8 * DAYS));
      const again = sampleOf(0, NOON + 8 * DAYS, 5);
      const { operatorState, outcomes } = applySamples(full, [...others, again], NOON + 8 * DAYS);
      expect(new Set(outcomes)).to.deep.equal(new Set(['changed']));
      expect(shown(operatorState)).to.deep.equal(modelAt([...many, ...others, again], NOON + 8 * DAYS));
      expect(streamCounts(operatorState, NOON + 8 * DAYS).active).to.have.length(MAX_STREAMS + 1);
      const one = sampleOf(3 * MAX_STREAMS, NOON + 8 * DAYS);
      expect(applySamples(operatorState, [one], NOON + 8 * DAYS).outcomes).to.deep.equal(['stream_limit']);
    });

    it('keeps at most 4,096 streams', () => {
      // Descending, so that each takes the first place.
      const old = Array.from({ length: 4_097 }, (_, ledger) => sampleOf(9_999 - ledger, NOON - 9 * DAYS));
      const { outcomes } = applySamples(emptyState(NOON), old, NOON);
      expect(outcomes.filter((outcome) => outcome === 'changed')).to.have.length(4_096);
      expect(outcomes.at(-1)).to.equal('stream_limit');
    });

    it('has room for a run each day on a new machine with seven tools', () => {
      let operatorState = emptyState(NOON);
      for (let day = 0; day < 60; day += 1) {
        const hour = NOON + day * DAYS;
        const run = Array.from({ length: 7 }, (_, tool) => ({
          ...sampleOf(day, hour),
          platform: `tool-${tool}`,
        }));
        const applied = applySamples(operatorState, run, hour);
        expect(new Set(applied.outcomes), `day ${day}`).to.deep.equal(new Set(['changed']));
        ({ operatorState } = applied);
      }
    });

    it('never retires one without counts', () => {
      const empty = many.map((sample) => ({
        ...sample,
        counts: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
      }));
      const { operatorState } = applySamples(emptyState(NOON), empty, NOON);
      expect(applySamples(operatorState, [next], NOON + 90 * DAYS).outcomes).to.deep.equal(['stream_limit']);
    });
  });

  it('differs in each number of each window that is damaged', () => {
    const ages = [1, 20, 60, 200].map((days) => NOON - days * HOURS_PER_DAY);
    const samples = ages.map((hour, index) => {
      const counts = { input: 40 - index, output: 400 - 7 * index, cache_read: 900 - index, cache_write: 90 - index };
      return { ledger: 'ledger-one', platform: 'codex', epoch: 0, hour, counts } as const;
    });
    const intact = applySamples(emptyState(NOON), samples, NOON).operatorState;
    expect(differingNumbers(intact)).to.deep.equal([]);
    const found = [...intact.totals.keys()].map((at) => {
      const totals = intact.totals.with(at, intact.totals[at]! + 1);
      const [name = '', ...others] = differingNumbers({ ...intact, totals });
      expect(others, name).to.deep.equal([]);
      return name.split(' of ')[1];
    });
    expect(found).to.deep.equal(WINDOWS.flatMap((window) => Array.from({ length: WINDOW_NUMBERS }, () => window)));
    expect(differingNumbers({ ...intact, witnessed: { recent: 1, ever: 0 } })).to.deep.equal(['witnessed days']);
  });

  it('keeps only the samples of a year that its windows need', () => {
    let operatorState = emptyState(NOON);
    for (let day = 0; day < 365; day++) {
      const counts = { input: day + 1, output: day + 1, cache_read: day + 1, cache_write: day + 1 };
      const hour = NOON + day * HOURS_PER_DAY;
      operatorState = applySamples(
        operatorState,
        [{ ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, hour, counts }],
        hour,
      ).operatorState;
    }
    // The current day and eight hourly days, one per day for a hundred days, and one rollup.
    expect(operatorState.streams[0]!.series.hours.length).to.be.at.most(8 + 1 + 100 + 1);
    expect(operatorState.totals[0]).to.equal(365);
  });

  it('keeps one sample per day of samples older than eight days', () => {
    let operatorState = emptyState(NOON);
    for (let passed = 0; passed < 30 * HOURS_PER_DAY; passed++) {
      const counts = { input: passed + 1, output: 1, cache_read: 1, cache_write: 1 };
      const sample = { ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, hour: NOON + passed, counts };
      operatorState = applySamples(operatorState, [sample], sample.hour).operatorState;
    }
    expect(operatorState.streams[0]!.series.hours.length).to.be.at.most(9 * HOURS_PER_DAY + 30);
    expect(operatorState.totals[0]).to.equal(30 * HOURS_PER_DAY);
  });

  it(`reports which samples changed it (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(anySamples, (samples) => {
        let operatorState = emptyState(NOON);
        for (const sample of samples) {
          const applied = applySamples(operatorState, [sample], NOON);
          const isSame = isDeepStrictEqual(counted(applied.operatorState), counted(operatorState));
          expect(applied.outcomes[0]).to.equal(isSame ? 'unchanged' : 'changed');
          operatorState = applied.operatorState;
          expect(applySamples(operatorState, [sample], NOON).outcomes).to.deep.equal(['unchanged']);
        }
      }),
      RUNS,
    );
  });
});
