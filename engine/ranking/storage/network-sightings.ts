import type { mongo } from 'mongoose';
import { DURABLE } from '../../mongo/index.ts';
import { pagesOf } from './find.ts';

/** A network that an operator submitted from. `_id` is the operator number and the network. */
export interface NetworkSightingDocument {
  _id: string;
  operator: number;
  /** Keyed hash of the client address. */
  network: string;
  /** The last day (UTC). */
  on: Date;
  /** Set while the network is to be compared again, because all of its operators were flagged. */
  matched?: true;
}

/** A client address as the limiter counts it (IPv6: its /64), and an operator that submitted from it. */
export interface NetworkSighting {
  readonly operator: number;
  readonly client: string;
}

/** The hash of a text under a secret of this installation. */
export type KeyedHash = (text: string) => Promise<string>;

/** Networks by operator, without their addresses. Every write can be repeated. */
export function createNetworkSightings(db: mongo.Db, networkHash: KeyedHash) {
  const sightings = db.collection<NetworkSightingDocument>('network_sightings');

  return {
    async record(seen: readonly NetworkSighting[], on: Date): Promise<void> {
      const writes = seen.map(async ({ operator, client }) => {
        const network = await networkHash(client);
        const update = { $set: { operator, network }, $max: { on } };
        return { updateOne: { filter: { _id: `${operator}/${network}` }, update, upsert: true } };
      });
      if (writes.length > 0) await sightings.bulkWrite(await Promise.all(writes), { ordered: false });
    },

    /** The sightings of operators from a day on. */
    of: (operators: readonly number[], from: Date): Promise<NetworkSightingDocument[]> =>
      sightings.find({ operator: { $in: [...operators] }, on: { $gte: from } }).toArray(),

    /** Operators that were seen on a network from a day on, at most `limit`. */
    async operatorsOn(network: string, from: Date, limit: number): Promise<number[]> {
      const found = await sightings.find({ network, on: { $gte: from } }, { limit }).toArray();
      return found.map(({ operator }) => operator);
    },

    async mark(networks: readonly string[]): Promise<void> {
      await sightings.updateMany({ network: { $in: [...networks] } }, { $set: { matched: true } });
    },

    async unmark(ids: readonly string[]): Promise<void> {
      await sightings.updateMany({ _id: { $in: [...ids] } }, { $unset: { matched: true } });
    },

    /** The marked sightings, in pages of `limit`. */
    marked: (limit: number) =>
      pagesOf<NetworkSightingDocument>(limit, (last) =>
        sightings.find({ matched: true, _id: { $gt: last?._id ?? '' } }, { sort: { _id: 1 }, limit }).toArray(),
      ),

    /** Deletes the sightings before a day, except for marked ones, whose finding is still asserted. */
    async removeBefore(day: Date): Promise<void> {
      await sightings.deleteMany({ on: { $lt: day }, matched: { $exists: false } });
    },

    async erase(operator: number): Promise<void> {
      await sightings.deleteMany({ operator }, DURABLE);
    },
  };
}
