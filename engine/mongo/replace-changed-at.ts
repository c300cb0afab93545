import type { Connection } from 'mongoose';

/** The server's code for an index, or a collection, that is not there. */
const NOT_THERE = new Set<unknown>([26, 27]);

/**
 * Operators bore the moment of their last change of any kind, and an index on it. Only changes that are no folds are found
 * by their moment now, under another name.
 */
export async function replaceChangedAt(connection: Connection): Promise<void> {
  const operators = connection.collection('operators');
  await operators.updateMany({ changed_at: { $exists: true } }, [
    { $set: { amended_at: { $ifNull: ['$amended_at', '$changed_at'] } } },
    { $unset: 'changed_at' },
  ]);
  await operators.dropIndex('changed_at_1').catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && NOT_THERE.has(error.code))) throw error;
  });
}
