import type { Connection } from '../../../engine/mongo/index.ts';

const DAY_MS = 86_400_000;

/**
 * Lets every operator have come a day ago. The healer looks for minutes at whoever is new: a field that was loaded a moment
 * ago would have it walk over all of them while something else is measured.
 */
export async function cameBefore(connection: Connection): Promise<void> {
  const amended_at = new Date(Date.now() - DAY_MS);
  await connection.collection('operators').updateMany({}, { $set: { amended_at } });
}
