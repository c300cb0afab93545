import type { Connection } from 'mongoose';

/** Server codes IndexNotFound and NamespaceNotFound. */
const NOT_FOUND = new Set<unknown>([26, 27]);

/**
 * Replaces `changed_at`, the indexed time of the last change of any kind, by `amended_at`, which applying a batch does not
 * set.
 */
export async function replaceChangedAt(connection: Connection): Promise<void> {
  const operators = connection.collection('operators');
  await operators.updateMany({ changed_at: { $exists: true } }, [
    { $set: { amended_at: { $ifNull: ['$amended_at', '$changed_at'] } } },
    { $unset: 'changed_at' },
  ]);
  await operators.dropIndex('changed_at_1').catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && NOT_FOUND.has(error.code))) throw error;
  });
}
