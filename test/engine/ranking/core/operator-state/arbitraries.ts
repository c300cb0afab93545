import * as fc from 'fast-check';
import type { UsageFact } from '../../../../../engine/ranking/core/operator-state/index.ts';
import type { NaiveSnapshot } from '../../../../support/naive-usage.ts';

export const HOUR_MS = 3_600_000;
export const HOURS_A_DAY = 24;

/** An hour in the middle of a day, far from the beginning of time. */
export const NOON = 22_000 * HOURS_A_DAY + 12;

/** What a snapshot may be late by: 90 days. */
const LATEST_HOURS = 90 * HOURS_A_DAY;

const small = fc.integer({ min: 0, max: 6 });
const anyCount = fc.oneof(
  { weight: 6, arbitrary: small },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 0.1, 1 / 3, 2 ** 53 - 1, 2 ** 52 + 1) },
  { weight: 1, arbitrary: fc.double({ min: 0, max: 1e6, noNaN: true }).map((count) => count + 0) },
);

function factOf(count: fc.Arbitrary<number>): fc.Arbitrary<UsageFact> {
  return fc.record({
    ledger: fc.constantFrom('ledger-one', 'ledger-two'),
    platform: fc.constantFrom('claude-code', 'codex-cli'),
    epoch: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 2) }),
    hour: fc.oneof(
      fc.integer({ min: NOON - LATEST_HOURS, max: NOON + 1 }),
      // Close together, so that hours and days are shared.
      fc.integer({ min: NOON - 10 * HOURS_A_DAY, max: NOON + 1 }),
      fc.integer({ min: NOON - 5, max: NOON + 1 }),
    ),
    counts: fc.record({ input: count, output: count, cache_read: count, cache_write: count }),
  });
}

/** Facts received until NOON, of counts that a double holds exactly or of any. */
export const wholeFacts = fc.array(factOf(small), { minLength: 1, maxLength: 14, size: 'max' });
export const anyFacts = fc.array(factOf(anyCount), { minLength: 1, maxLength: 14, size: 'max' });

/** Hours at which facts are folded, the one after the other: from when they came to months later. */
export const applyHours = fc.array(fc.integer({ min: NOON, max: NOON + 130 * HOURS_A_DAY }), {
  minLength: 1,
  maxLength: 6,
});

/** The same as the model has it. */
export function snapshotOf({ ledger, platform, epoch, hour, counts }: UsageFact): NaiveSnapshot {
  const { input, output, cache_read, cache_write } = counts;
  return { ledger, platform, epoch, asOf: hour * HOUR_MS + 1, counts: [input, output, cache_read, cache_write] };
}
