import { DAY_MS, HOUR_MS } from '../../config/units.ts';
import { receiptKey } from '../../engine/ranking/core/operator-state/index.ts';
import { FIRST_METHODOLOGY } from '../../engine/ranking/methodologies/index.ts';
import { openTestApi, TEST_NOW, type TestApi, type TestApiOptions } from './test-api.ts';

export const MODERATOR = 'careful-reader';

function usageOf(platform: string, input: number, output: number, cache_read: number) {
  const counts = { input, output, cache_read, cache_write: 0 };
  return [{ asOf: TEST_NOW - HOUR_MS, ledger: 'ledger-one', platform, epoch: 0, counts }];
}

/** Counts that grow evenly, received day by day for 40 days. */
function witnessed(platform: string, input: number, output: number, cache_read: number) {
  return Array.from({ length: 40 }, (_, day) => {
    const asOf = TEST_NOW - HOUR_MS - (39 - day) * DAY_MS;
    const share = (day + 1) / 40;
    const counts = { input: input * share, output: output * share, cache_read: cache_read * share, cache_write: 0 };
    return { asOf, ledger: 'ledger-one', platform, epoch: 0, counts, receipt: receiptKey(asOf, asOf / HOUR_MS) };
  });
}

/** Codenames say how their rows stand. */
const FIELD = {
  // A Yield far above the reference, for which enough days vouch.
  'held-row': witnessed('codex', 200_000, 100_000, 2e9),
  'absurd-row': usageOf('codex', 20_000, 4e12, 8e12),
  'small-row': usageOf('claude-code', 153, 40_000, 900_000),
  'plain-row': usageOf('codex', 400_000, 60_000, 2_000_000),
  [MODERATOR]: [],
} as const;

/** An api under the first methodology, with rows that are settled, held, excluded and below the floors. */
export async function openJudgedField(options: TestApiOptions = {}): Promise<TestApi> {
  const test = await openTestApi({ methodology: FIRST_METHODOLOGY, ...options });
  for (const [codename, usage] of Object.entries(FIELD)) {
    const operator = await test.ranking.operators.import([{ codename, displayName: null, usage: [...usage] }]);
    await test.accounts.create({ operator });
  }
  await test.ranking.rebuildBoard();
  await test.publish();
  return test;
}
