import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { type Connection, MIGRATIONS, migrate } from '../../../engine/mongo/index.ts';
import { SKETCH_VERSION } from '../../../engine/ranking/core/series-sketch.ts';
import type { ImportedOperator } from '../../../engine/ranking/index.ts';
import { checkVersion } from '../../../engine/ranking/integrity/maintain-integrity.ts';
import { FIRST_METHODOLOGY } from '../../../engine/ranking/methodologies/index.ts';
import { openRanking, withMongo } from './open-ranking.ts';

/** Operators per import. */
const IMPORT_OPERATORS = 20_000;

/** The codename of the n-th seeded operator. */
export function benchCodename(index: number): string {
  return `bench-operator-${String(index).padStart(8, '0')}`;
}

/**
 * Fills a database with ranked operators, in number order, and their board; deterministic for a size. Returns the number of
 * the first.
 */
export function seedPopulation(
  mongoUrl: string,
  operators: number,
  operatorAt: (index: number) => ImportedOperator = seededOperator,
): Promise<number> {
  return withMongo(mongoUrl, async (connection) => {
    // Sets the schema version: otherwise the first process would migrate.
    await migrate(connection, { migrations: MIGRATIONS, clock: Date.now });
    const ranking = openRanking(connection);
    await ranking.ensureIndexes();
    await ranking.ensureBoard();
    let number = 0;
    for (let from = 0; from < operators; from += IMPORT_OPERATORS) {
      const length = Math.min(IMPORT_OPERATORS, operators - from);
      const first = await ranking.operators.import(Array.from({ length }, (_, index) => operatorAt(from + index)));
      number ||= first;
    }
    if (!(await ranking.rebuildBoard())) throw new Error('the board of the seeded population could not be built');
    return number;
  });
}

/** Usage scattered by multiplicative hashing: Yields spread over the tiers, with few ties. */
function seededOperator(index: number): ImportedOperator {
  const scatter = (by: number, most: number): number => 1 + ((Math.imul(index + 1, by) >>> 0) % most);
  const input = scatter(2_654_435_761, 90_000) + 10_000;
  const counts = {
    input,
    output: scatter(2_246_822_519, 400_000),
    cache_read: scatter(3_266_489_917, 9_000_000) + 400_000,
    cache_write: scatter(668_265_263, 500_000),
  };
  const asOf = Date.now() - scatter(374_761_393, 60 * 24) * HOUR_MS;
  const usage = [{ asOf, ledger: 'ledger-1', platform: 'claude-code', epoch: 0, counts }];
  return { codename: benchCodename(index), displayName: index % 3 === 0 ? `Operator ${index}` : null, usage };
}

/**
 * Sets every operator's change time to a day ago and marks all as maintained (`recordUpkeep`). Otherwise `reconcile-operators`
 * would read the new ones repeatedly for ten minutes, while something else is measured.
 */
export async function backdateOperators(connection: Connection): Promise<void> {
  const amended_at = new Date(Date.now() - DAY_MS);
  await connection.collection('operators').updateMany({}, { $set: { amended_at } });
  await recordUpkeep(connection);
}

/**
 * Marks all operators as reconciled, checked and sketched, as they are on an installation that has run for some time. Otherwise
 * the first runs of `reconcile-operators` and `maintain-integrity` would read all of them, while something else is measured.
 */
export async function recordUpkeep(connection: Connection): Promise<void> {
  const progress = connection.collection<{ _id: string; value: string }>('progress');
  const done = {
    'reconcile.operators_from': String(Date.now()),
    'integrity.walk': `${checkVersion(FIRST_METHODOLOGY)} Infinity`,
    'integrity.sketches': `${SKETCH_VERSION} Infinity`,
  };
  for (const [_id, value] of Object.entries(done)) {
    await progress.updateOne({ _id }, { $set: { value } }, { upsert: true });
  }
}
