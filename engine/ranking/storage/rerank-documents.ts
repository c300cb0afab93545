import type { mongo } from 'mongoose';
import type { Comparison } from '../core/rerank/compare-boards.ts';
import type { SegmentReference } from './documents.ts';

type Binary = mongo.Binary;

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

export type RerankKind = 'activate' | 'preview';
export type RerankState = 'running' | 'switched' | 'previewed' | 'cancelled' | 'failed';

export interface RerankRunDocument {
  _id: string;
  kind: RerankKind;
  methodology: number;
  /** The board's methodology when the run began. */
  from: number;
  state: RerankState;
  /** The highest sequence number when it began. Who came later is on the trail. */
  operators: number;
  range_operators: number;
  ranges: number;
  /** Which flow of jobs works on it; 0 before the first, and one more whenever a lost one is replaced. */
  flow: number;
  started_at: Date;
  ended_at: Date | null;
  error: string | null;
  /** What a preview found, by window. */
  report: Comparison[] | null;
}

/** The Yields of a range of operators under a run's methodology: `WINDOW_COUNT` Float64 an operator. `_id` is `run/range`. */
export interface RerankPartDocument {
  _id: string;
  bytes: Binary;
}

/** Operators that commits took from change lists. `_id` begins with the board version that the commit made. */
export interface CatchUpDocument {
  _id: string;
  /** Uint32, little-endian, packed. */
  operators: Binary;
}
