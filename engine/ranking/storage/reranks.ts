import type { mongo } from 'mongoose';
import { DURABLE } from '../../mongo/index.ts';
import { decodeRerankPart, encodeRerankPart } from '../core/board/index.ts';
import type { Comparison } from '../core/compare-windows.ts';
import type { RowCounts } from '../core/row-counts.ts';
import { bytesOf, toBinary } from './binary.ts';
import { idsIn } from './find.ts';

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
  report: PreviewedWindow[] | null;
}

/** What a preview shows of one window. */
export interface PreviewedWindow extends Comparison {
  readonly rows: RowCounts;
}

/** What a run scored in a range of operators. */
export interface RerankPart {
  readonly yields: Float64Array;
  /** By window; only of previews. */
  readonly rows: readonly RowCounts[];
}

/**
 * The encoded Yields of a range of operators under a run's methodology. `_id` is `run/range`.
 */
interface RerankPartDocument {
  _id: string;
  bytes: mongo.Binary;
  rows: readonly RowCounts[];
}

/** Re-rank runs with their parameters and outcome. Only the manifest says which run is current. */
export function createRerankRuns(db: mongo.Db) {
  const rerankRuns = db.collection<RerankRunDocument>('rerank_runs');

  return {
    async create(run: RerankRunDocument): Promise<void> {
      await rerankRuns.insertOne(run, DURABLE);
    },

    async find(id: string): Promise<RerankRunDocument | null> {
      return rerankRuns.findOne({ _id: id });
    },

    async remove(id: string): Promise<void> {
      await rerankRuns.deleteOne({ _id: id });
    },

    /** The newest runs first, at most `limit`. */
    async newest(limit: number): Promise<RerankRunDocument[]> {
      return rerankRuns.find({}, { sort: { started_at: -1 }, limit }).toArray();
    },

    /** Runs that have not ended. */
    async open(): Promise<RerankRunDocument[]> {
      return rerankRuns.find({ state: 'running' }).toArray();
    },

    /** Ends a run; has no effect on one that has ended. */
    async end(id: string, end: Pick<RerankRunDocument, 'state' | 'ended_at' | 'error' | 'report'>): Promise<void> {
      await rerankRuns.updateOne({ _id: id, state: 'running' }, { $set: end }, DURABLE);
    },

    /** Replaces flow `flow` by the next; false when it was already replaced. */
    async replaceFlow(id: string, flow: number): Promise<boolean> {
      const filter = { _id: id, flow, state: 'running' } as const;
      return (await rerankRuns.updateOne(filter, { $set: { flow: flow + 1 } }, DURABLE)).matchedCount === 1;
    },

    async removeEndedBefore(at: Date): Promise<void> {
      await rerankRuns.deleteMany({ ended_at: { $lt: at } });
    },
  };
}

const RANGE_DIGITS = 6;

/** Not journaled: a part lost in a crash is detected before the switch and scored again. */
const REPEATABLE = { writeConcern: { w: 1, j: false } } as const;

function partId(run: string, range: number): string {
  return `${run}/${String(range).padStart(RANGE_DIGITS, '0')}`;
}

/** Id range of a run's parts. */
function idsOf(run: string): { $gte: string; $lt: string } {
  return { $gte: `${run}/`, $lt: `${run}0` };
}

/** Yields scored by re-rank runs, one document per range of operators. */
export function createRerankParts(db: mongo.Db) {
  const rerankParts = db.collection<RerankPartDocument>('rerank_parts');

  return {
    /** Stores a range; replaces that of an earlier attempt. */
    async write(run: string, range: number, { yields, rows }: RerankPart): Promise<void> {
      const filter = { _id: partId(run, range) };
      await rerankParts.updateOne(
        filter,
        { $set: { bytes: toBinary(encodeRerankPart(yields)), rows } },
        { upsert: true, ...REPEATABLE },
      );
    },

    /** A scored range; null before. */
    async read(run: string, range: number): Promise<RerankPart | null> {
      const found = await rerankParts.findOne({ _id: partId(run, range) });
      if (found === null) return null;
      return { yields: decodeRerankPart(bytesOf(found.bytes)), rows: found.rows };
    },

    /** Numbers of the scored ranges, ascending. */
    async scored(run: string): Promise<number[]> {
      const ids = await idsIn(rerankParts, { _id: idsOf(run) }, { sort: { _id: 1 } });
      return ids.map((id) => Number(id.slice(run.length + 1)));
    },

    /** The runs that have parts. */
    async runs(): Promise<string[]> {
      const ids = await idsIn(rerankParts, {}, { hint: { _id: 1 } });
      return [...new Set(ids.map((id) => id.split('/')[0]!))];
    },

    async remove(run: string): Promise<void> {
      await rerankParts.deleteMany({ _id: idsOf(run) });
    },
  };
}
