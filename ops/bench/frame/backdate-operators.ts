import type { Connection } from '../../../engine/mongo/index.ts';

const DAY_MS = 86_400_000;

/**
 * Lets every operator have come a day ago, and the healer have looked at them since. It would begin with all of them on its
 * first walk, as it has been nowhere yet, and walk over whoever is new again and again for ten minutes, while something
 * else is measured.
 */
export async function backdateOperators(connection: Connection): Promise<void> {
  const now = Date.now();
  const amended_at = new Date(now - DAY_MS);
  await connection.collection('operators').updateMany({}, { $set: { amended_at } });
  await connection
    .collection<{ _id: string; value: string }>('progress')
    .updateOne({ _id: 'reconcile.operators_from' }, { $set: { value: String(now) } }, { upsert: true });
}
