import { DAY_MS } from '../../../config/units.ts';
import type { Connection } from '../../../engine/mongo/index.ts';

/**
 * Sets every operator's change time to a day ago and marks all as reconciled. Otherwise `reconcile-operators` would read all
 * of them on its first run, and the new ones repeatedly for ten minutes, while something else
 * is measured.
 */
export async function backdateOperators(connection: Connection): Promise<void> {
  const now = Date.now();
  const amended_at = new Date(now - DAY_MS);
  await connection.collection('operators').updateMany({}, { $set: { amended_at } });
  await connection
    .collection<{ _id: string; value: string }>('progress')
    .updateOne({ _id: 'reconcile.operators_from' }, { $set: { value: String(now) } }, { upsert: true });
}
