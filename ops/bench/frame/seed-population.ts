import { HOUR_MS } from '../../../config/units.ts';
import { openMongo } from '../../../engine/mongo/index.ts';
import type { ImportedOperator } from '../../../engine/ranking/index.ts';
import { createDatabase } from './open-ranking.ts';

/** Operators per import. */
const IMPORT_OPERATORS = 20_000;

/** The codename of the n-th seeded operator, from 0. */
export function seededCodename(index: number): string {
  return `bench-operator-${String(index).padStart(8, '0')}`;
}

/** Fills an empty database with ranked operators and their board; deterministic for a size. */
export async function seedPopulation(
  mongoUrl: string,
  operators: number,
  operatorAt: (index: number) => ImportedOperator = seededOperator,
): Promise<void> {
  const connection = await openMongo(mongoUrl);
  try {
    const ranking = await createDatabase(connection);
    for (let from = 0; from < operators; from += IMPORT_OPERATORS) {
      const length = Math.min(IMPORT_OPERATORS, operators - from);
      await ranking.operators.import(Array.from({ length }, (_, index) => operatorAt(from + index)));
    }
    if (!(await ranking.rebuildBoard())) throw new Error('the board of the seeded population could not be built');
  } finally {
    await connection.close();
  }
}

/** Usage scattered by multiplicative hashing: Yields spread over the tiers, with few ties. */
function seededOperator(index: number): ImportedOperator {
  const scatter = (by: number, most: number): number => 1 + ((Math.imul(index + 1, by) >>> 0) % most);
  const input = scatter(2_654_435_761, 90_000) + 10_000;
  const counts = {
    input,
    output: scatter(2_246_822_519, 400_000),
    cache_read: scatter(3_266_489_917, 9_000_000),
    cache_write: scatter(668_265_263, 500_000),
  };
  const asOf = Date.now() - scatter(374_761_393, 60 * 24) * HOUR_MS;
  const usage = [{ asOf, ledger: 'ledger-1', platform: 'claude-code', epoch: 0, counts }];
  return { codename: seededCodename(index), displayName: index % 3 === 0 ? `Operator ${index}` : null, usage };
}
