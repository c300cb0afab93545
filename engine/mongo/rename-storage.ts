import type { Connection } from 'mongoose';
import { databaseOf } from './indexes.ts';
import { DURABLE, insertUnlessTaken } from './writes.ts';

const COLLECTIONS = {
  change_lists: 'dirty_sets',
  change_trail: 'catch_up_log',
  carries: 'rollups',
  board_roots: 'board_manifests',
  board_bases: 'board_base_runs',
  board_tops: 'board_top_entries',
} as const;

const FIELDS = {
  snapshots: { group: 'batch' },
  dirty_sets: { group: 'batch', held_at: 'prepared_at' },
  board_base_runs: { tip: 'lastSegment' },
} as const;

/** Documents per command. */
const BATCH = 10_000;

interface StoredSegment {
  readonly tip?: string;
}

interface StoredBoard {
  readonly segments: readonly StoredSegment[];
}

interface StoredRoot extends StoredBoard {
  readonly _id: string;
  readonly stamp: string;
  readonly tops: string;
  readonly sweeps: number;
  readonly switches?: readonly { readonly from: StoredBoard; readonly to: StoredBoard }[];
}

/** Renames collections, fields and documents of the ranking engine to the glossary's names. */
export async function renameStorage(connection: Connection): Promise<void> {
  const db = databaseOf(connection);
  const present = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  for (const [from, to] of Object.entries(COLLECTIONS)) {
    if (present.has(from)) await db.renameCollection(from, to);
  }
  for (const [collection, fields] of Object.entries(FIELDS)) {
    for (const [from, to] of Object.entries(fields)) await renameField(connection, collection, from, to);
  }
  if (present.has('snapshots')) await dropIndex(connection, 'snapshots', 'group_1');
  await renameManifest(connection);
  await renameProgress(connection);
}

export async function renameField(connection: Connection, collection: string, from: string, to: string): Promise<void> {
  const stored = connection.collection(collection);
  for (;;) {
    const found = await stored.find({ [from]: { $exists: true } }, { projection: { _id: 1 }, limit: BATCH }).toArray();
    if (found.length === 0) return;
    await stored.updateMany({ _id: { $in: found.map(({ _id }) => _id) } }, { $rename: { [from]: to } }, DURABLE);
  }
}

/** Server codes IndexNotFound and NamespaceNotFound. */
const NOT_FOUND = new Set<unknown>([26, 27]);

export async function dropIndex(connection: Connection, collection: string, name: string): Promise<void> {
  await connection
    .collection(collection)
    .dropIndex(name)
    .catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && NOT_FOUND.has(error.code))) throw error;
    });
}

const withSegments = <Board extends StoredBoard>(board: Board): Board => ({
  ...board,
  segments: board.segments.map(({ tip, ...segment }) =>
    tip === undefined ? segment : { ...segment, lastSegment: tip },
  ),
});

async function renameManifest(connection: Connection): Promise<void> {
  const manifests = connection.collection<StoredRoot>('board_manifests');
  const root = await manifests.findOne({ _id: 'root' });
  if (root === null) return;
  const { _id, stamp, tops, sweeps, switches, ...rest } = withSegments(root);
  const manifest = {
    _id: 'manifest',
    ...rest,
    generation: stamp,
    topEntries: tops,
    garbageCollections: sweeps,
    ...(switches === undefined
      ? {}
      : { switches: switches.map((one) => ({ ...one, from: withSegments(one.from), to: withSegments(one.to) })) }),
  };
  await insertUnlessTaken(() => connection.collection<{ _id: string }>('board_manifests').insertOne(manifest, DURABLE));
  await manifests.deleteOne({ _id }, DURABLE);
}

async function renameProgress(connection: Connection): Promise<void> {
  const progress = connection.collection<{ _id: string; value: string }>('progress');
  const former = await progress.findOne({ _id: 'heal.from' });
  if (former === null) return;
  await insertUnlessTaken(() => progress.insertOne({ _id: 'reconcile.operators_from', value: former.value }, DURABLE));
  await progress.deleteOne({ _id: 'heal.from' }, DURABLE);
}
