import { type Connection, mongo } from 'mongoose';
import { addPartHeaders, bytesOf, changeEach } from './add-part-headers.ts';
import type { Migration } from './migrate.ts';
import { dropIndex, renameField, renameStorage } from './rename-storage.ts';
import { DURABLE } from './writes.ts';

/**
 * Replaces `changed_at`, the indexed time of the last change of any kind, by `amended_at`, which applying a batch does not
 * set.
 */
async function replaceChangedAt(connection: Connection): Promise<void> {
  const operators = connection.collection('operators');
  await operators.updateMany({ changed_at: { $exists: true } }, [
    { $set: { amended_at: { $ifNull: ['$amended_at', '$changed_at'] } } },
    { $unset: 'changed_at' },
  ]);
  await dropIndex(connection, 'operators', 'changed_at_1');
}

interface Address {
  _id: string;
  operator: number;
  vouchers?: string[];
}

/**
 * Records in each address the identities that vouch for it, and releases addresses without any: the next holder may be
 * another person. Before this version, addresses stayed with an account permanently.
 */
async function addAddressVouchers(connection: Connection): Promise<void> {
  const addresses = connection.collection<Address>('addresses');
  const identities = connection.collection<{ _id: string; operator: number; email: string | null }>('identities');
  for await (const { _id, operator } of addresses.find({ 'vouchers.0': { $exists: false } })) {
    const vouching = await identities
      .find({ operator, email: _id }, { projection: { _id: 1 }, sort: { _id: 1 } })
      .toArray();
    const unchanged = { _id, operator, 'vouchers.0': { $exists: false } };
    if (vouching.length === 0) await addresses.deleteOne(unchanged, DURABLE);
    else await addresses.updateOne(unchanged, { $set: { vouchers: vouching.map(({ _id: key }) => key) } }, DURABLE);
  }
}

const HAS_SAMPLES = { $expr: { $gt: [{ $binarySize: '$streams' }, 0] } };

/**
 * Makes operators without statistics due, so that the next hour computes them from the samples. Records that an
 * older process writes meanwhile get theirs with their next change.
 */
async function computeStatistics(connection: Connection): Promise<void> {
  const withoutStatistics = { statistics: { $exists: false } };
  await connection
    .collection('operators')
    .updateMany({ $and: [withoutStatistics, HAS_SAMPLES] }, { $set: { next_due: 1 } }, DURABLE);
}

/** Bytes of a window in `totals` as of version 6: its counts, and its statistics. */
const [COUNTS_BYTES, STATISTICS_BYTES] = [32, 32];
const WINDOWS = 4;

/** Leaves the counts alone in `totals`. The next hour computes the statistics, now a field of the record, from the samples. */
async function leaveCountsInTotals(connection: Connection): Promise<void> {
  const bytes = COUNTS_BYTES + STATISTICS_BYTES;
  const isJoined = { $expr: { $eq: [{ $binarySize: '$totals' }, WINDOWS * bytes] } };
  await changeEach(connection, 'operators', isJoined, ({ totals, streams }) => {
    const joined = bytesOf(totals);
    const counts = Array.from({ length: WINDOWS }, (_, at) => joined.subarray(at * bytes, at * bytes + COUNTS_BYTES));
    return {
      totals: new mongo.Binary(Buffer.concat(counts)),
      ...(streams.position > 0 ? { next_due: 1 } : {}),
    };
  });
}

/** Renames the times of mails about cases and reports. */
async function renameNotices(connection: Connection): Promise<void> {
  for (const collection of ['integrity_cases', 'integrity_reports']) {
    await renameField(connection, collection, 'tell_since', 'notify_since');
    await renameField(connection, collection, 'told_at', 'notified_at');
    await dropIndex(connection, collection, 'tell_since_1');
  }
}

/** Makes operators with samples due, so that the next hour computes their statistics as they are defined now. */
async function recomputeStatistics(connection: Connection): Promise<void> {
  await connection.collection('operators').updateMany(HAS_SAMPLES, { $set: { next_due: 1 } }, DURABLE);
}

/**
 * All migrations, in order. Indexes are not migrated: each engine creates its own at every start. Running workers hold states and
 * may write fields again that they did not change, so a migration of an operator's state has to set a new `revision`. Versions 6,
 * 7 and 9 are older than this rule, and no pattern for new ones.
 */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'the first layout', run: async () => undefined },
  { version: 2, name: 'applied batches no longer date operators', run: replaceChangedAt },
  { version: 3, name: 'addresses belong to the identities that vouch for them', run: addAddressVouchers },
  { version: 4, name: 'storage names from the glossary', run: renameStorage },
  { version: 5, name: 'board parts begin with a header', run: addPartHeaders },
  { version: 6, name: 'statistics beside window totals', run: computeStatistics },
  { version: 7, name: 'statistics in a field of the record', run: leaveCountsInTotals },
  { version: 8, name: 'times of mails about cases', run: renameNotices },
  { version: 9, name: 'statistics of agents at once over all streams', run: recomputeStatistics },
  // Each commit replaces them; both forms are read. Older programs would not read the new one.
  { version: 10, name: 'top entries as JSON', run: async () => undefined },
];
