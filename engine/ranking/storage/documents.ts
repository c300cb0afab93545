import type { mongo } from 'mongoose';
import type { RefusalCode } from '../../contract/refusals.ts';

type Binary = mongo.Binary;

/** An operator's public record: names, and everything the board is computed from. `_id` is the sequence number. */
export interface OperatorDocument {
  _id: number;
  /** Absent once erased. */
  codename?: string;
  display_name: string | null;
  /** False takes the operator off every board without forgetting anything. */
  listed: boolean;
  /** While the operator is suspended: the value of `listed` once that ends. */
  relisted?: boolean;
  /** The moments of the last renames, oldest first. */
  renamed_at?: Date[];
  /** Changes with every write; writers make their write conditional on the one they read. */
  revision: string;
  hour: number;
  /** 16 Float64: four counts for each window. */
  totals: Binary;
  /** The platform of each window, separated by commas; empty where there are no tokens. */
  platforms: string;
  next_due: number | null;
  /** All streams with their marks, packed. */
  streams: Binary;
  created_at: Date;
  /** The last change that nothing repeats: any but the folds of a group. */
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
  /** Set once it was taken out: kept, but no longer counted. */
  voided_at?: Date;
}

/** What an operator's snapshots came to that are too old for the log. `_id` is the operator's number. */
export interface RollupDocument {
  _id: number;
  /** Snapshots received before this are in it, and no longer in the log. */
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

/** The verdicts of one group: entries not named were accepted and changed something. */
export interface VerdictDocument {
  _id: string;
  decided_at: Date;
  unchanged: string[];
  refused: { entry: string; reason: RefusalCode; detail: string }[];
}

/** Operators whose record or names may differ from the published board. */
export interface DirtySetDocument {
  _id: string;
  operators: number[];
  /** The group of the log whose folds it tells of; absent for other changes. */
  batch?: string;
  /** The trace of the work that changed them; absent where nothing is traced. */
  trace?: string;
  /** Set while the writes it announces are under way: no commit takes it, and the board's hour waits for it. */
  prepared_at?: Date;
}

export interface SegmentReference {
  id: string;
  /** The first and last board version whose changes it holds. */
  from: number;
  to: number;
  /** The id of the last segment that a commit wrote of those it holds: its own unless it is a merge. */
  lastSegment: string;
}

/** A kept base: the board as it stood when `hour` began. */
export interface KeptBaseRun {
  base: string;
  hour: number;
  methodology: number;
}

/** A published board without its names: what it takes to read its Yields and ranks as they were. */
export interface BoardReference {
  methodology: number;
  base: string;
  segments: SegmentReference[];
}

/** What the root says of a re-rank under way. There is one at a time, because there is one root. */
export interface RerankReference {
  run: string;
  /** The board version that began it: whatever a later one took from change lists is on the trail. */
  version: number;
  /** The base that is being written for it, which no sweep may take; null before. */
  base: string | null;
}

/** A change of the board's methodology: the same records, ranked under both. */
export interface MethodologySwitch {
  at: Date;
  /** The first version under the new one. */
  version: number;
  /** The run that led to it; null for a rollback. */
  run: string | null;
  from: BoardReference;
  to: BoardReference;
}

/** While a rollback can return to the board before the last switch. */
export interface FormerBoard {
  /** Its version: whatever a later one took from change lists is on the trail. */
  version: number;
  until: Date;
}

/** The one document that says what the published board is. Everything it refers to is immutable. */
export interface ManifestDocument {
  _id: 'manifest';
  version: number;
  /** Another one for every version that was ever written: a store that lost its last writes gives versions twice. */
  generation: string;
  methodology: number;
  /** The hour all window totals on the board are true for. */
  hour: number;
  base: string;
  segments: SegmentReference[];
  topEntries: string;
  /** Ranked operators by window, in the order of WINDOWS. */
  totals: number[];
  /** Ascending by hour. */
  history: KeptBaseRun[];
  /** How often parts were swept: a builder whose parts are older than the last sweep must start over. */
  garbageCollections: number;
  /** The re-rank under way. */
  rerank?: RerankReference | null;
  /** Changes of the methodology, the oldest first; what they refer to is kept as long as daily boards are. */
  switches?: MethodologySwitch[];
  /** What a rollback returns to is the board before the last switch. */
  former?: FormerBoard | null;
  generated_at: Date;
}

export interface BaseRunDocument {
  _id: string;
  created_at: Date;
  /** Board version of the table it was built from. */
  version: number;
  /** The tip of the last segment that is in it; its own id when it was built from something else than a board. */
  lastSegment: string;
  hour: number;
  methodology: number;
  slots: number;
  /** One encoded directory for each window. */
  directories: Binary[];
}

/** A page of a base: `_id` is `base/order/window/n` or `base/operators/n`. */
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

/** An entry of the first 100 as stored: all but what follows from the root's totals. */
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
  /** In the order of WINDOWS. */
  windows: TopEntryDocument[][];
}

export interface LeaseDocument {
  _id: string;
  holder: string;
  until: Date;
}

/** A codename that only its holder may take. `_id` is the codename, or the keyed hash of an erased operator's. */
export interface CodenameHoldDocument {
  _id: string;
  holder: string;
  until: Date;
}

/** Small facts that jobs keep between runs, such as how far a walk has come. */
export interface ProgressDocument {
  _id: string;
  value: string;
}

export interface SequenceDocument {
  _id: string;
  last: number;
}
