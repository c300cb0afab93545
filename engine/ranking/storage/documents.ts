import type { mongo } from 'mongoose';
import type { RefusalCode } from '../../contract/refusals.ts';

type Binary = mongo.Binary;

/** An operator's record: names, and everything the board is computed from. `_id` is the operator number. */
export interface OperatorDocument {
  _id: number;
  /** Absent once erased. */
  codename?: string;
  display_name: string | null;
  /** False excludes the operator from every board; its usage is kept. */
  listed: boolean;
  /** While the operator is suspended: the value of `listed` once that ends. */
  relisted?: boolean;
  /** Times of the last renames, oldest first. */
  renamed_at?: Date[];
  /** Changes with every write; writes are conditional on the revision that was read. */
  revision: string;
  hour: number;
  /** 16 Float64: four counts for each window. */
  totals: Binary;
  /** The platform of each window, separated by commas; empty where there are no tokens. */
  platforms: string;
  next_due: number | null;
  /** All streams with their samples, packed. */
  streams: Binary;
  created_at: Date;
  /** Time of the last change that no job repeats, which is any change but applying a batch. */
  amended_at: Date;
  erased_at?: Date;
}

/** A snapshot in the log. `_id` is `operator.jti`. */
export interface SnapshotDocument {
  _id: string;
  batch: string;
  received_at: Date;
  codename: string;
  /** In the order of COUNT_FIELDS. */
  counts: [number, number, number, number];
  platform?: string;
  signature: string;
  /** Set when the snapshot was voided: stored, but not counted. */
  voided_at?: Date;
}

/** Rollup of an operator's snapshots past retention. `_id` is the operator number. */
export interface RollupDocument {
  _id: number;
  /** Snapshots received before this are in the rollup and no longer in the log. */
  until: Date;
  /** Counts in the order of COUNT_FIELDS. */
  facts: {
    ledger: string;
    platform: string;
    epoch: number;
    hour: number;
    counts: [number, number, number, number];
  }[];
  checksum: string;
}

/** The verdicts of one batch: entries absent from both arrays were accepted and changed a total. */
export interface VerdictDocument {
  _id: string;
  decided_at: Date;
  unchanged: string[];
  refused: { entry: string; reason: RefusalCode; detail: string }[];
}

/** Dirty set: operators whose record or names may differ from the published board. */
export interface DirtySetDocument {
  _id: string;
  operators: number[];
  /** The batch that changed the operators; absent for other changes. */
  batch?: string;
  /** Trace of the work that changed them; absent without tracing. */
  trace?: string;
  /** Set while the set is a write intent: no commit consumes it, and the board's hour waits for it. */
  prepared_at?: Date;
}

export interface SegmentReference {
  id: string;
  /** The first and last board version whose changes the segment contains. */
  from: number;
  to: number;
  /** Id of the last segment that a commit wrote among those merged here; its own id when it is not a merge. */
  lastSegment: string;
}

/** A kept base run: the board at the start of `hour`. */
export interface KeptBaseRun {
  base: string;
  hour: number;
  methodology: number;
}

/** Reference to a published board, from which its Yields and ranks can be read. */
export interface BoardReference {
  methodology: number;
  base: string;
  segments: SegmentReference[];
}

/** The running re-rank in the manifest. At most one runs at a time. */
export interface RerankReference {
  run: string;
  /** Board version at the start: operators consumed by later commits are in the catch-up log. */
  version: number;
  /** The base run being written for it, which garbage collection must keep; null before that. */
  base: string | null;
}

/** A switch of the board's methodology: the same records, ranked under both. */
export interface MethodologySwitch {
  at: Date;
  /** The first version under the new methodology. */
  version: number;
  /** The run that caused it; null for a rollback. */
  run: string | null;
  from: BoardReference;
  to: BoardReference;
}

/** The board before the last switch, while a rollback to it is possible. */
export interface FormerBoard {
  /** Its version: operators consumed by later commits are in the catch-up log. */
  version: number;
  until: Date;
}

/** The board manifest: names the parts of the published version. Everything it refers to is immutable. */
export interface ManifestDocument {
  _id: 'manifest';
  version: number;
  /** Random and unique per written version: a store that lost its last writes assigns the same version twice. */
  generation: string;
  methodology: number;
  /** The hour for which all window totals on the board hold. */
  hour: number;
  base: string;
  segments: SegmentReference[];
  topEntries: string;
  /** Ranked operators by window, in the order of WINDOWS. */
  totals: number[];
  /** Ascending by hour. */
  history: KeptBaseRun[];
  /** Number of garbage collections: a writer whose parts are older than the last one must start over. */
  garbageCollections: number;
  /** The running re-rank. */
  rerank?: RerankReference | null;
  /** Methodology switches, oldest first; the parts they refer to are kept as long as daily boards. */
  switches?: MethodologySwitch[];
  /** The board before the last switch, to which a rollback returns. */
  former?: FormerBoard | null;
  generated_at: Date;
}

export interface BaseRunDocument {
  _id: string;
  created_at: Date;
  /** Board version of the table from which it was built. */
  version: number;
  /** `lastSegment` of the newest segment that it contains; its own id when it was not built from a board. */
  lastSegment: string;
  hour: number;
  methodology: number;
  slots: number;
  /** The encoded directories of all windows. */
  directories: Binary;
}

/** A page of a base run: `_id` is `base/order/window/n` or `base/operators/n`. */
export interface PageDocument {
  _id: string;
  base: string;
  bytes: Binary;
}

export interface SegmentDocument {
  _id: string;
  created_at: Date;
  bytes: Binary;
}

/** A stored top entry: everything except what derives from the manifest's totals. */
export interface TopEntryDocument {
  operator: number;
  codename: string;
  display_name: string | null;
  platform: string;
  class_tier: string;
  rank: number;
  yield_: number;
  leverage: number;
  velocity: number;
  movement_24h: number | null;
  movement_7d: number | null;
}

export interface TopEntriesDocument {
  _id: string;
  created_at: Date;
  header: Binary;
  /** Those that have entries, in the order of WINDOWS. */
  windows: TopEntryDocument[][];
}

export interface LeaseDocument {
  _id: string;
  holder: string;
  until: Date;
}

/** A codename reserved for its holder. `_id` is the codename, or the keyed hash of an erased operator's. */
export interface CodenameHoldDocument {
  _id: string;
  holder: string;
  until: Date;
}

/** Small values that jobs keep between runs, such as scan positions. */
export interface ProgressDocument {
  _id: string;
  value: string;
}

export interface SequenceDocument {
  _id: string;
  last: number;
}
