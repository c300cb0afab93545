import { emptyStanding } from '../core/standing/index.ts';
import type { Collections } from './collections.ts';
import type { OperatorDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { encodeStanding } from './standing-codec.ts';
import { isDuplicateKey } from './store-errors.ts';
import { randomName } from './unique-id.ts';

/** Changes operators' names and listing, and erases operators. Every write gives the record a new revision. */
export function createOperatorAmendments({ operators }: Pick<Collections, 'operators'>) {
  return {
    /** Changes names or listing; false when the operator does not exist (any more) or the codename is taken. */
    async amend(
      number: number,
      change: Partial<Pick<OperatorDocument, 'codename' | 'display_name' | 'listed'>>,
      at: Date,
    ): Promise<boolean> {
      try {
        const { matchedCount } = await operators.updateOne(
          { _id: number, erased_at: { $exists: false } },
          { $set: { ...change, revision: randomName(), amended_at: at } },
          DURABLE,
        );
        return matchedCount === 1;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    /**
     * Takes everything from an operator's record but its number. False when there is none; one that was erased before is
     * left as it is.
     */
    async erase(number: number, at: Date, hour: number): Promise<boolean> {
      const nothing = { ...encodeStanding(emptyStanding(hour)), display_name: null, listed: false, erased_at: at };
      const update = {
        $set: { ...nothing, revision: randomName(), amended_at: at },
        $unset: { codename: true },
      } as const;
      const live = { _id: number, erased_at: { $exists: false } };
      if ((await operators.updateOne(live, update, DURABLE)).matchedCount === 1) return true;
      return (await operators.countDocuments({ _id: number })) > 0;
    },
  };
}
