import { HOUR_MS } from '../../config/units.ts';
import { openTestApi, TEST_NOW, type TestApi } from './test-api.ts';

export const MODERATOR = 'careful-reader';

function usageOf(platform: string, input: number, output: number, cache_read: number) {
  const counts = { input, output, cache_read, cache_write: 0 };
  return [{ asOf: TEST_NOW - HOUR_MS, ledger: 'ledger-one', platform, epoch: 0, counts }];
}

/** Codenames say what the rules make of their rows. */
const FIELD = {
  // Reads that its input could not have filled.
  'flagged-row': usageOf('codex', 200_000, 100_000, 2e9),
  'absurd-row': usageOf('codex', 20_000, 4e12, 8e12),
  'small-row': usageOf('claude-code', 153, 40_000, 900_000),
  'plain-row': usageOf('codex', 400_000, 60_000, 2_000_000),
  [MODERATOR]: [],
} as const;

/** An api under the methodology with floors and rules, with rows that cross them. */
export async function openFlaggedField(): Promise<TestApi> {
  const test = await openTestApi({ methodology: 3 });
  for (const [codename, usage] of Object.entries(FIELD)) {
    const operator = await test.ranking.operators.import([{ codename, displayName: null, usage: [...usage] }]);
    await test.accounts.create({ operator });
  }
  await test.ranking.rebuildBoard();
  await test.publish();
  return test;
}
