import { HOUR_MS } from '../../../config/units.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import { FIRST_METHODOLOGY } from '../../../engine/ranking/methodologies/index.ts';
import { importedOperator } from '../../support/imported-operator.ts';
import { openTestApi, TEST_NOW, type TestApi } from '../../support/test-api.ts';

/** Ranked operators of the field: more than forty pages of a hundred. */
export const RANKED = 5_000;

/** Operators with the same Yield, one rank. */
const TIED = 2;

/** The counts of the operator at a rank, and the Yield that they have: from 200 to 16, two by two. Ranks are odd. */
export function rowAt(rank: number): { readonly counts: Counts; readonly yield_: number } {
  const output = Math.round(200_000 * 0.999 ** Math.floor((rank - 1) / TIED));
  return {
    counts: { input: 100_000, output, cache_read: 10_000_000, cache_write: 0 },
    yield_: (10_000_000 * output) / (100_000 * 100_000),
  };
}

/**
 * An api under the first methodology, with `row-1` to `row-5000` as `rowAt` describes, `small-row` below the floors, and `held-row`,
 * whose Yield of 50 is extraordinary for its tool.
 */
export async function openRankedField(): Promise<TestApi> {
  const test = await openTestApi({ methodology: FIRST_METHODOLOGY });
  const asOf = TEST_NOW - HOUR_MS;
  await test.ranking.operators.import([
    ...Array.from({ length: RANKED }, (_, index) =>
      importedOperator(`row-${index + 1}`, asOf, rowAt(index + 1).counts, 'claude-code'),
    ),
    importedOperator('small-row', asOf, { input: 10, output: 20, cache_read: 30, cache_write: 40 }, 'claude-code'),
    importedOperator('held-row', asOf, { ...rowAt(1).counts, output: 50_000 }, 'codex'),
  ]);
  await test.ranking.rebuildBoard();
  await test.publish();
  return test;
}
