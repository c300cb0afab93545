import { mongo } from 'mongoose';

/**
 * Write concern for data that must survive a crash: acknowledged only when journaled on a majority. Data derived from the
 * snapshot log could do with less, and uses it all the same (decision 0010).
 */
export const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;

/** Server code of a write whose key a unique index has already. */
export const DUPLICATE_KEY = 11_000;

/** A unique id; ids of one process sort in the order in which they were made. */
export function newDocumentId(): string {
  return new mongo.ObjectId().toHexString();
}

/** Runs an insert; false when a unique index already has the document's key. */
export async function insertUnlessTaken(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY) return false;
    throw error;
  }
}
