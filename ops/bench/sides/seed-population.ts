import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import type * as mongoDoor from '../../../engine/mongo/index.ts';
import type { ImportedOperator, Ranking } from '../../../engine/ranking/index.ts';

/** Operators per import. */
const IMPORT_OPERATORS = 20_000;

/** The engine of a tree over a database. */
export interface SeededEngine {
  readonly mongo: Pick<typeof mongoDoor, 'migrate' | 'MIGRATIONS'>;
  readonly connection: mongoDoor.Connection;
  readonly ranking: Ranking;
}

/** The codename of the n-th seeded operator. */
export function benchCodename(index: number): string {
  return `bench-operator-${String(index).padStart(8, '0')}`;
}

/** Fills an empty database with ranked operators and their board, the same for a size. Returns the number of the first. */
export async function seedPopulation(
  { mongo, connection, ranking }: SeededEngine,
  operators: number,
  operatorAt: (index: number) => ImportedOperator = seededOperator,
): Promise<number> {
  await mongo.migrate(connection, { migrations: mongo.MIGRATIONS, clock: Date.now });
  await ranking.ensureIndexes();
  await ranking.ensureBoard();
  // Over no operators, these only record that all were checked.
  await ranking.maintainIntegrity(async () => undefined);
  await ranking.reconcileOperators();
  let number = 0;
  for (let from = 0; from < operators; from += IMPORT_OPERATORS) {
    const length = Math.min(IMPORT_OPERATORS, operators - from);
    const first = await ranking.operators.import(Array.from({ length }, (_, index) => operatorAt(from + index)));
    number ||= first;
  }
  await leaveNoMaintenance(connection);
  if (!(await ranking.rebuildBoard())) throw new Error('the board of the seeded population could not be built');
  return number;
}

/**
 * Sets the last changes of all operators to a day ago, and lets `maintain-integrity` begin with what comes, as on an installation
 * that has run for some time. Otherwise the next runs of maintenance would read all that was written, while something else is
 * measured.
 */
export async function leaveNoMaintenance(connection: mongoDoor.Connection): Promise<void> {
  const amended_at = new Date(Date.now() - DAY_MS);
  await connection.collection('operators').updateMany({}, { $set: { amended_at } });
  const progress = connection.collection<{ _id: string }>('progress');
  await progress.deleteMany({ _id: { $in: ['integrity.batches_from', 'integrity.amended_from'] } });
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
