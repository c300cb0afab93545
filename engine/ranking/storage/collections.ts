import { type Connection, type mongo, Schema } from 'mongoose';
import type {
  BaseRunDocument,
  CodenameHoldDocument,
  DirtySetDocument,
  LeaseDocument,
  ManifestDocument,
  OperatorDocument,
  PageDocument,
  ProgressDocument,
  RollupDocument,
  SegmentDocument,
  SequenceDocument,
  SnapshotDocument,
  TopEntriesDocument,
  VerdictDocument,
} from './documents.ts';
import type { CatchUpDocument, RerankPartDocument, RerankRunDocument } from './rerank-documents.ts';

const OPTIONS = { autoIndex: false, autoCreate: false, versionKey: false, strict: true } as const;
const binary = { type: Buffer, required: true } as const;

const operatorSchema = new Schema(
  {
    _id: Number,
    codename: { type: String, lowercase: true, match: /^[a-z0-9-]{3,32}$/ },
    display_name: String,
    listed: { type: Boolean, required: true },
    relisted: Boolean,
    renamed_at: { type: [Date], default: undefined },
    revision: { type: String, required: true },
    hour: { type: Number, required: true },
    totals: binary,
    platforms: { type: String, default: '' },
    next_due: Number,
    streams: binary,
    created_at: { type: Date, required: true },
    amended_at: { type: Date, required: true },
    erased_at: Date,
  },
  OPTIONS,
)
  .index({ codename: 1 }, { unique: true, sparse: true })
  // The planner uses a partial index only for queries that repeat its filter exactly.
  .index({ next_due: 1 }, { name: 'due', partialFilterExpression: { next_due: { $gt: 0 } } })
  .index({ amended_at: 1 })
  .index({ relisted: 1 }, { sparse: true });

const snapshotSchema = new Schema(
  {
    _id: String,
    batch: { type: String, required: true },
    received_at: { type: Date, required: true },
    codename: { type: String, required: true },
    counts: { type: [Number], required: true },
    platform: String,
    signature: { type: String, required: true },
    voided_at: Date,
  },
  OPTIONS,
).index({ batch: 1 });

const pageSchema = new Schema({ _id: String, base: { type: String, required: true }, bytes: binary }, OPTIONS).index({
  base: 1,
});

const codenameHoldSchema = new Schema(
  { _id: String, holder: { type: String, required: true }, until: { type: Date, required: true } },
  OPTIONS,
)
  .index({ holder: 1 })
  .index({ until: 1 });

/** The ranking engine's collections, as the driver's: every write states its options. */
export interface Collections {
  readonly operators: mongo.Collection<OperatorDocument>;
  readonly snapshots: mongo.Collection<SnapshotDocument>;
  readonly verdicts: mongo.Collection<VerdictDocument>;
  readonly rollups: mongo.Collection<RollupDocument>;
  readonly dirtySets: mongo.Collection<DirtySetDocument>;
  readonly manifests: mongo.Collection<ManifestDocument>;
  readonly bases: mongo.Collection<BaseRunDocument>;
  readonly pages: mongo.Collection<PageDocument>;
  readonly segments: mongo.Collection<SegmentDocument>;
  readonly topEntries: mongo.Collection<TopEntriesDocument>;
  readonly leases: mongo.Collection<LeaseDocument>;
  readonly codenameHolds: mongo.Collection<CodenameHoldDocument>;
  readonly progress: mongo.Collection<ProgressDocument>;
  readonly sequences: mongo.Collection<SequenceDocument>;
  readonly rerankRuns: mongo.Collection<RerankRunDocument>;
  readonly rerankParts: mongo.Collection<RerankPartDocument>;
  readonly catchUpLog: mongo.Collection<CatchUpDocument>;
}

/** Returns the collections of an open connection. Creates nothing. */
export function openCollections(connection: Connection): Collections {
  const db = connection.db;
  if (db === undefined) throw new Error('the MongoDB connection is not open');
  return {
    operators: db.collection('operators'),
    snapshots: db.collection('snapshots'),
    verdicts: db.collection('verdicts'),
    rollups: db.collection('rollups'),
    dirtySets: db.collection('dirty_sets'),
    manifests: db.collection('board_manifests'),
    bases: db.collection('board_base_runs'),
    pages: db.collection('board_pages'),
    segments: db.collection('board_segments'),
    topEntries: db.collection('board_top_entries'),
    leases: db.collection('leases'),
    codenameHolds: db.collection('codename_holds'),
    progress: db.collection('progress'),
    sequences: db.collection('sequences'),
    rerankRuns: db.collection('rerank_runs'),
    rerankParts: db.collection('rerank_parts'),
    catchUpLog: db.collection('catch_up_log'),
  };
}

/** Creates the indexes. Safe to repeat and to run in several processes concurrently. */
export async function ensureRankingIndexes(connection: Connection): Promise<void> {
  const schemas = {
    operators: operatorSchema,
    snapshots: snapshotSchema,
    board_pages: pageSchema,
    codename_holds: codenameHoldSchema,
  };
  for (const [name, schema] of Object.entries(schemas)) {
    const model = connection.models[`ranking:${name}`] ?? connection.model(`ranking:${name}`, schema, name);
    await model.createIndexes();
  }
}
