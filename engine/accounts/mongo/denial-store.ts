import { DURABLE } from '../../mongo/index.ts';
import type { Collections } from './collections.ts';
import { generationOf } from './stamp.ts';

/** One entry of the deny-list, as it is followed. */
export interface StoredDenial {
  readonly name: string;
  readonly at: Date;
  readonly issuedUntil: Date;
  readonly expiresAt: Date;
}

export type DenialStore = ReturnType<typeof createDenialStore>;

/** What access tokens are refused although they have not expired. Entries change in place, so that followers see it. */
export function createDenialStore({ denials }: Collections) {
  return {
    async put({ name, at, issuedUntil, expiresAt }: StoredDenial): Promise<void> {
      const set = { at: await generationOf(denials, at), issued_until: issuedUntil, expires_at: expiresAt };
      await denials.updateOne({ _id: name }, { $set: set }, { upsert: true, ...DURABLE });
    },

    async since(at: Date): Promise<readonly StoredDenial[]> {
      const found = await denials.find({ at: { $gte: at } }).toArray();
      return found.map(({ _id, at: written, issued_until, expires_at }) => ({
        name: _id,
        at: written,
        issuedUntil: issued_until,
        expiresAt: expires_at,
      }));
    },
  };
}
