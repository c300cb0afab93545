import type { mongo } from 'mongoose';
import type { Connection } from '../../engine/mongo/index.ts';
import type { createSnapshotLog } from '../../engine/ranking/storage/snapshots.ts';

type Snapshots = Parameters<typeof createSnapshotLog>[0];

export const snapshotsOf = ({ db }: Connection): Snapshots => db!.collection('snapshots');

/** The collection with changed inserts: `change` gets the command and runs it, or another, and returns or changes the reply. */
export function withInserts(
  snapshots: Snapshots,
  change: (run: (command: mongo.Document) => Promise<mongo.Document>, command: mongo.Document) => Promise<object>,
): Snapshots {
  const { db } = snapshots;
  const command = (given: mongo.Document) => change((changed) => db.command(changed), given);
  return Object.create(snapshots, { db: { value: { command } } });
}
