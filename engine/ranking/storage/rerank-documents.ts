import type { mongo } from 'mongoose';
import type { Comparison } from '../core/compare-windows.ts';

type Binary = mongo.Binary;

export type RerankKind = 'activate' | 'preview';
export type RerankState = 'running' | 'switched' | 'previewed' | 'cancelled' | 'failed';

export interface RerankRunDocument {
  _id: string;
  kind: RerankKind;
  methodology: number;
  /** The board's methodology at the start. */
  from: number;
  state: RerankState;
  /** Highest operator number at the start. Later operators are in the catch-up log. */
  operators: number;
  range_operators: number;
  ranges: number;
  /** Number of its job flow: 0 for none, incremented whenever a lost flow is replaced. */
  flow: number;
  started_at: Date;
  ended_at: Date | null;
  error: string | null;
  /** Result of a preview, by window. */
  report: Comparison[] | null;
}

/**
 * The encoded Yields of a range of operators under a run's methodology. `_id` is `run/range`.
 */
export interface RerankPartDocument {
  _id: string;
  bytes: Binary;
}

/** Operators in dirty sets that commits consumed. `_id` begins with the board version of the commit. */
export interface CatchUpDocument {
  _id: string;
  /** Uint32, little-endian, packed. */
  operators: Binary;
}
