import { expect } from 'chai';
import * as fc from 'fast-check';
import { HOUR_MS } from '../../../../../config/units.ts';
import { WINDOWS } from '../../../../../engine/contract/windows.ts';
import {
  NO_ASSERTIONS,
  rulesIn,
  STATISTICS,
  statisticAt,
  statisticsOf,
} from '../../../../../engine/integrity/index.ts';
import {
  applySamples,
  emptyState,
  samplesOf,
  type UsageSample,
} from '../../../../../engine/ranking/core/operator-state/index.ts';
import { scoreRecord } from '../../../../../engine/ranking/core/score-record.ts';
import { runsOf } from '../../../../support/long-run.ts';
import { naiveIntegrity, naiveStatistics } from '../../../../support/naive-integrity.ts';
import { naiveUsage, snapshotOf } from '../../../../support/naive-usage.ts';
import { OTHER_METHODOLOGY, useOtherBounds } from '../../../../support/other-bounds.ts';
import { runSeed } from '../../../../support/seeded-random.ts';
import { anySamples, HOURS_PER_DAY, NOON } from './arbitraries.ts';

const RUNS = { numRuns: runsOf(300, 3_000), seed: runSeed() };

/** Samples that grow in the same proportions, day by day or hour by hour, so that rules of growth have something to measure. */
const growing = fc
  .record({
    ledger: fc.constantFrom('ledger-one', 'ledger-two'),
    platform: fc.constantFrom('claude-code', 'codex'),
    epoch: fc.constantFrom(0, 0, 1),
    from: fc.integer({ min: NOON - 120 * HOURS_PER_DAY, max: NOON - 1 }),
    every: fc.constantFrom(1, 5, 24, 200),
    steps: fc.integer({ min: 1, max: 8 }),
    share: fc.constantFrom(1, 1, 0.37),
    rate: fc.tuple(...Array.from({ length: 4 }, () => fc.constantFrom(0, 1, 7, 1_000, 40_000, 9_000_000))),
  })
  .map(({ from, every, steps, share, rate: [input = 0, output = 0, reads = 0, writes = 0], ...stream }) =>
    Array.from({ length: steps }, (_, step): UsageSample => {
      const times = step + 1;
      const total = (count: number): number => Math.round(count * times * share);
      const counts = {
        input: total(input),
        output: total(output),
        cache_read: total(reads),
        cache_write: total(writes),
      };
      return { ...stream, hour: Math.min(NOON, from + step * every), counts };
    }),
  );
const anyUsage = fc
  .tuple(anySamples, fc.array(growing, { maxLength: 4 }))
  .map(([samples, grown]) => [...samples, ...grown.flat()]);
const later = fc.integer({ min: 0, max: 130 * HOURS_PER_DAY });

describe('statistics of windows', function () {
  this.timeout(120_000);
  const methodology = OTHER_METHODOLOGY;
  useOtherBounds();

  it(`equal those of the model (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(anyUsage, later, (samples, wait) => {
        const hour = NOON + wait;
        const { totals } = applySamples(
          applySamples(emptyState(NOON), samples, NOON).operatorState,
          [],
          hour,
        ).operatorState;
        const snapshots = samples.map(snapshotOf);
        const usage = naiveUsage(snapshots, hour * HOUR_MS + 1);
        for (const [window, expected] of naiveStatistics(snapshots, hour * HOUR_MS + 1, usage).entries()) {
          for (const name of STATISTICS) {
            const stored = statisticsOf(totals)[statisticAt(window, name)]!;
            expect(stored, `${name} of ${WINDOWS[window]}`).to.be.closeTo(
              expected[name],
              1e-6 * Math.abs(stored) + 1e-12,
            );
          }
        }
      }),
      RUNS,
    );
  });

  it('measure a burst of three days ago by its hour, whatever the shortest window is', () => {
    const outputs = [1_000, 2_000, 60_002_000];
    const samples = outputs.map((output, index): UsageSample => {
      const counts = { input: 1_000_000, output, cache_read: 0, cache_write: 0 };
      return { ledger: 'ledger-one', platform: 'claude-code', epoch: 0, hour: NOON - 74 + index, counts };
    });
    const { totals } = applySamples(emptyState(NOON), samples, NOON).operatorState;
    for (const [window] of WINDOWS.entries()) {
      expect(statisticsOf(totals)[statisticAt(window, 'agents')]).to.equal(40);
    }
  });

  it(`cross the rules of the model, also computed from exported samples (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(anyUsage, (samples) => {
        const { operatorState } = applySamples(emptyState(NOON), samples, NOON);
        const results = scoreRecord({ totals: operatorState.totals, assertions: NO_ASSERTIONS }, methodology);
        const stored = results.map(({ mask, score }) => ({
          flags: rulesIn(mask).map(({ name }) => name),
          yield_: score?.yield_ ?? null,
        }));
        for (const from of [samples, samplesOf(operatorState)]) {
          const snapshots = from.map(snapshotOf);
          const now = NOON * HOUR_MS + 1;
          const model = naiveIntegrity(snapshots, naiveUsage(snapshots, now), now, methodology);
          expect(stored).to.deep.equal(model.map(({ flags, yield_ }) => ({ flags, yield_ })));
        }
      }),
      RUNS,
    );
  });
});
