import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { OneTimeKind } from '../types.ts';
import type { Collections } from './collections.ts';
import type { OneTimeDocument } from './documents.ts';

export interface StoredOneTime {
  readonly data: Readonly<Record<string, unknown>>;
  readonly state: 'fresh' | 'used' | 'late';
}

type NewOneTime = Omit<OneTimeDocument, 'consumed_at' | 'place'>;

export type OneTimeStore = ReturnType<typeof createOneTimeStore>;

/** One-time secrets, by their hash. */
export function createOneTimeStore({ oneTime }: Collections) {
  return {
    async insert(document: NewOneTime): Promise<void> {
      await oneTime.insertOne(document, DURABLE);
    },

    /** False when another secret has the place. */
    insertAt: (place: string, document: NewOneTime): Promise<boolean> =>
      insertUnlessTaken(() => oneTime.insertOne({ ...document, place }, DURABLE)),

    async find(hash: string, kind: OneTimeKind, now: Date): Promise<StoredOneTime | null> {
      const found = await oneTime.findOne({ _id: hash, kind });
      if (found === null) return null;
      const late = found.valid_until.getTime() <= now.getTime();
      return { data: found.data, state: found.consumed_at !== undefined ? 'used' : late ? 'late' : 'fresh' };
    },

    /** Consumes a fresh secret: returns its data to one of any number of callers, null to the others. */
    async consume(hash: string, kind: OneTimeKind, now: Date): Promise<Readonly<Record<string, unknown>> | null> {
      const fresh = { _id: hash, kind, consumed_at: { $exists: false }, valid_until: { $gt: now } };
      const found = await oneTime.findOneAndUpdate(fresh, { $set: { consumed_at: now } }, DURABLE);
      return found?.data ?? null;
    },

    /** Deletes the secrets about these hashes, and those that would link an identity to the operator. */
    async eraseAbout(about: readonly string[], operator: number): Promise<void> {
      await oneTime.deleteMany({ $or: [{ about: { $in: [...about] } }, { 'data.linkTo': operator }] }, DURABLE);
    },
  };
}
