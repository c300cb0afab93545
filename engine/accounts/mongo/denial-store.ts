import { DURABLE } from '../../mongo/index.ts';
import type { Collections } from './collections.ts';
import { nextWriteTime } from './next-write-time.ts';

/** One entry of the deny-list. */
export interface StoredDenial {
  readonly id: string;
  readonly at: Date;
  readonly issuedUntil: Date;
  readonly expiresAt: Date;
}

export type DenialStore = ReturnType<typeof createDenialStore>;

/** The deny-list of access tokens. A further denial updates the entry and its time, so followers read it again. */
export function createDenialStore({ denials }: Collections) {
  return {
    async put({ id, at, issuedUntil, expiresAt }: StoredDenial): Promise<void> {
      const set = { at: await nextWriteTime(denials, at), issued_until: issuedUntil, expires_at: expiresAt };
      await denials.updateOne({ _id: id }, { $set: set }, { upsert: true, ...DURABLE });
    },

    async since(at: Date): Promise<readonly StoredDenial[]> {
      const found = await denials.find({ at: { $gte: at } }).toArray();
      return found.map(({ _id, at: writtenAt, issued_until, expires_at }) => ({
        id: _id,
        at: writtenAt,
        issuedUntil: issued_until,
        expiresAt: expires_at,
      }));
    },
  };
}
