import type { mongo } from 'mongoose';
import type { Comparison } from '../core/rerank/compare-boards.ts';

type Binary = mongo.Binary;

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
