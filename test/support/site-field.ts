import { DAY_MS } from '../../config/units.ts';
import { seededRandom } from './seeded-random.ts';
import { openTestApi, type TestApi, type TestApiOptions } from './test-api.ts';
import { UNPACED } from './unpaced.ts';

/** Two operators with histories. */
export const RISING = 'nova-7';
export const STEADY = 'quiet-tide';

/** A display name with HTML and special characters. */
export const HOSTILE_NAME = `<img src=x onerror=alert(1)> "'&|[x](javascript:alert(1))`;
export const HOSTILE = 'odd-name';

/** A population over some days, on a board with history. Takes some seconds. */
export async function openSiteFixture(days: number, newADay: number, options: TestApiOptions = {}): Promise<TestApi> {
  const test = await openTestApi(options);
  const seeded = seededRandom(7);
  const random = (): number => seeded.next();
  const daily = [await test.operator(RISING), await test.operator(STEADY)];
  await test.ranking.operators.enrol({ codename: 'no-tokens-yet' });
  for (let day = 0; day < days; day += 1) {
    await test.ranking.advanceHour();
    const usage = (scale: number) => ({
      asOf: test.now - 3_600_000,
      ledger: 'ledger-one',
      platform: random() < 0.7 ? 'claude-code' : 'sample-editor',
      epoch: 0,
      counts: {
        input: 1_000 + Math.floor(random() * 90_000),
        output: Math.floor(scale * 400_000 * random()) + 1,
        cache_read: Math.floor(scale * 9_000_000 * random() ** 2),
        cache_write: Math.floor(500_000 * random()),
      },
    });
    await test.ranking.operators.import(
      Array.from({ length: newADay }, (_, index) => ({
        codename: `operator-${day}-${index}`,
        displayName: index % 4 === 0 ? `Field Operator ${day}.${index}` : null,
        usage: [usage(10 ** (4 * random() - 2))],
      })),
    );
    if (day === 0) {
      await test.ranking.operators.import([{ codename: HOSTILE, displayName: HOSTILE_NAME, usage: [usage(20)] }]);
    }
    for (const [index, operator] of daily.entries()) {
      const token = await test.token(operator.operator);
      const growth = index === 0 ? 40_000 * (day + 1) ** 2 : 90_000 * (day + 1);
      const counts = { input: 2_000 * (day + 1), output: growth, cache_read: growth * 12, cache_write: 900 };
      await test.post('/api/v1/snapshots', token, test.snapshot(operator, counts));
    }
    await test.publish();
    await test.ranking.rebuildBoard();
    await test.publish();
    if (day < days - 1) test.now += DAY_MS;
  }
  await test.ranking.platforms.rank(undefined, UNPACED);
  await test.publish();
  return test;
}
