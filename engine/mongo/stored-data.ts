import type { Connection } from 'mongoose';
import { databaseOf } from './indexes.ts';

/** What the data occupy, and when they were last exported. */
interface StoredData {
  /** Bytes of the file system that holds the data; of the fullest shard. */
  readonly disk: { readonly used: number; readonly total: number };
  /** Bytes on disk, indexes included, of all data and of the snapshot log. */
  readonly stored: { readonly database: number; readonly log: number };
  /** Milliseconds since the epoch; null: never. */
  readonly exportedAt: number | null;
}

interface DatabaseStats {
  readonly fsUsedSize?: number;
  readonly fsTotalSize?: number;
  readonly totalSize?: number;
  /** Of a sharded cluster: those of each shard. */
  readonly raw?: Readonly<Record<string, DatabaseStats>>;
}

const EXPORT = 'export.finished';

const progressOf = (connection: Connection) =>
  databaseOf(connection).collection<{ _id: string; value: string }>('progress');

/** Records that an export of all data finished at a time (milliseconds since the epoch). */
export async function recordExport(connection: Connection, at: number): Promise<void> {
  await progressOf(connection).updateOne({ _id: EXPORT }, { $set: { value: String(at) } }, { upsert: true });
}

/** Reads what the servers report. @throws when MongoDB does not respond */
export async function readStoredData(connection: Connection): Promise<StoredData> {
  const stats: DatabaseStats = await databaseOf(connection).command({ dbStats: 1 });
  const { totalSize: database = 0, raw = { all: stats } } = stats;
  const disks = Object.values(raw).map(({ fsUsedSize: used = 0, fsTotalSize: total = 0 }) => ({ used, total }));
  const disk = disks.reduce((a, b) => (b.used / b.total > a.used / a.total ? b : a));
  const [log, exported] = await Promise.all([logBytes(connection), progressOf(connection).findOne({ _id: EXPORT })]);
  return { disk, stored: { database, log }, exportedAt: exported === null ? null : Number(exported.value) };
}

/** Of all shards. */
async function logBytes(connection: Connection): Promise<number> {
  const shards = databaseOf(connection)
    .collection('snapshots')
    .aggregate<{ bytes: number }>([
      { $collStats: { storageStats: {} } },
      { $project: { bytes: '$storageStats.totalSize' } },
    ]);
  return (await shards.toArray()).reduce((sum, { bytes }) => sum + bytes, 0);
}
