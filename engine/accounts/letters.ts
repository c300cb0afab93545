import { DAY_MS } from '../../config/units.ts';
import type { LetterDocument } from './mongo/models.ts';
import type { AccountParts } from './open-parts.ts';
import { hashOf, newSecret } from './secrets.ts';

/** Links of an operator's last letters that still end them. */
const MAX_LINKS = 8;

export type DueLetter = Omit<LetterDocument, 'links'>;

/*
 * Weekly letters. An operator without a document gets none; with one they wait until `due_at`. Marking a due letter makes the next
 * one wait, for one of any number of callers, who then sends it: a process that dies first loses the letter, and it is never sent twice.
 */
export function createLetters({ models: { letters }, identityStore, clock }: AccountParts) {
  const after = (days: number): Date => new Date(clock() + days * DAY_MS);
  return {
    /** Null where they are off. */
    of: (operator: number): Promise<Omit<DueLetter, '_id'> | null> =>
      letters.findOne({ _id: operator }, { _id: 0, links: 0 }).lean(),

    /** False where no identity of the operator vouches for the address. */
    async switchOn(operator: number, address: string): Promise<boolean> {
      if (!(await identityStore.addressesOf(operator)).includes(address)) return false;
      const update = { $set: { address }, $setOnInsert: { due_at: after(7), links: [] } };
      await letters.updateOne({ _id: operator }, update, { upsert: true });
      return true;
    },

    /** With an address, only those to it. */
    switchOff: async (of: Pick<DueLetter, '_id'> & Partial<DueLetter>) => void (await letters.deleteOne(of)),

    /** By the secret of a link; false where it belongs to no letters that are on, or is not of the last `MAX_LINKS`. */
    switchOffBy: async (secret: string): Promise<boolean> =>
      (await letters.deleteOne({ links: hashOf(secret) })).deletedCount === 1,

    /** Those that are due, oldest first. */
    due: (limit: number): Promise<DueLetter[]> =>
      letters
        .find({ due_at: { $lte: after(0) } }, { links: 0 })
        .sort({ due_at: 1 })
        .limit(limit)
        .lean(),

    /** Returns the secret of its link; null where it is not due any more. */
    async mark({ _id, due_at }: DueLetter): Promise<string | null> {
      const secret = newSecret();
      const links = { $each: [hashOf(secret)], $slice: -MAX_LINKS };
      const marked = await letters.updateOne({ _id, due_at }, { $set: { due_at: after(7) }, $push: { links } });
      return marked.matchedCount === 1 ? secret : null;
    },

    /** Makes a letter due tomorrow, which the mail server has not taken. */
    postpone: async ({ _id }: DueLetter) => void (await letters.updateOne({ _id }, { $set: { due_at: after(1) } })),
  };
}
