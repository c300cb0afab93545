import { mongo } from 'mongoose';

export const DUPLICATE_KEY = 11_000;

/** Whether a write failed only because a unique index already has its key. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;
}
