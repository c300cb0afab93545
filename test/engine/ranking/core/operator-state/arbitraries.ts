import * as fc from 'fast-check';
import { COUNTINGS } from '../../../../../engine/contract/signing/index.ts';
import type { UsageSample } from '../../../../../engine/ranking/core/operator-state/index.ts';

export const HOURS_PER_DAY = 24;

/** An hour in the middle of a day, long after the epoch. */
export const NOON = 22_000 * HOURS_PER_DAY + 12;

/** Maximum delay of a snapshot: 90 days. */
const MAX_DELAY_HOURS = 90 * HOURS_PER_DAY;

const small = fc.integer({ min: 0, max: 6 });
const anyCount = fc.oneof(
  { weight: 6, arbitrary: small },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 0.1, 1 / 3, 2 ** 53 - 1, 2 ** 52 + 1) },
  { weight: 1, arbitrary: fc.double({ min: 0, max: 1e6, noNaN: true }).map((count) => count + 0) },
);

function sampleOf(count: fc.Arbitrary<number>): fc.Arbitrary<UsageSample> {
  return fc.record<UsageSample>({
    ledger: fc.constantFrom('ledger-one', 'ledger-two'),
    platform: fc.constantFrom('claude-code', 'codex', 'other'),
    epoch: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 2) }),
    hour: fc.oneof(
      fc.integer({ min: NOON - MAX_DELAY_HOURS, max: NOON + 1 }),
      // Close together, so that samples share hours and days.
      fc.integer({ min: NOON - 10 * HOURS_PER_DAY, max: NOON + 1 }),
      fc.integer({ min: NOON - 5, max: NOON + 1 }),
    ),
    counts: fc.record({ input: count, output: count, cache_read: count, cache_write: count }),
    provenance: fc.option(
      fc.record({ counting: fc.constantFrom(...COUNTINGS), version: fc.constantFrom(0, 1, 100_000_000) }),
    ),
  });
}

/** Samples received until NOON, with counts whose sums are exact, or with any counts. */
export const integerSamples = fc.array(sampleOf(small), { minLength: 1, maxLength: 14, size: 'max' });
export const anySamples = fc.array(sampleOf(anyCount), { minLength: 1, maxLength: 14, size: 'max' });

/** Hours at which samples are applied, from NOON to months later. */
export const applyHours = fc.array(fc.integer({ min: NOON, max: NOON + 130 * HOURS_PER_DAY }), {
  minLength: 1,
  maxLength: 6,
});
