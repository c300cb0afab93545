import { mongo } from 'mongoose';

export const DUPLICATE_KEY = 11_000;

/** Whether a write failed only because a unique index already has its key. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;
}

/** Whether the store could not be reached, as opposed to having refused something. */
export function isStoreUnavailable(error: unknown): boolean {
  return (
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoServerSelectionError ||
    error instanceof mongo.MongoNotConnectedError ||
    error instanceof mongo.MongoTopologyClosedError ||
    error instanceof mongo.MongoWriteConcernError ||
    (error instanceof mongo.MongoError && error.hasErrorLabel('RetryableWriteError'))
  );
}
