import { decodeRerankPart, encodeRerankPart } from '../core/board/index.ts';
import { bytesOf, toBinary } from './binary.ts';
import type { Collections } from './collections.ts';

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
export function createRerankParts({ rerankParts }: Collections) {
  return {
    /** Stores a range's Yields; replaces those of an earlier attempt. */
    async write(run: string, range: number, yields: Float64Array): Promise<void> {
      const filter = { _id: partId(run, range) };
      await rerankParts.updateOne(
        filter,
        { $set: { bytes: toBinary(encodeRerankPart(yields)) } },
        { upsert: true, ...REPEATABLE },
      );
    },

    /** A range's Yields; null before it is scored. */
    async read(run: string, range: number): Promise<Float64Array | null> {
      const found = await rerankParts.findOne({ _id: partId(run, range) });
      return found === null ? null : decodeRerankPart(bytesOf(found.bytes));
    },

    /** Numbers of the scored ranges, ascending. */
    async scored(run: string): Promise<number[]> {
      const found = rerankParts.find({ _id: idsOf(run) }, { projection: { _id: 1 }, sort: { _id: 1 } });
      return (await found.toArray()).map(({ _id }) => Number(_id.slice(run.length + 1)));
    },

    /** The runs that have parts. */
    async runs(): Promise<string[]> {
      const found = await rerankParts.find({}, { projection: { _id: 1 }, hint: { _id: 1 } }).toArray();
      return [...new Set(found.map(({ _id }) => _id.split('/')[0]!))];
    },

    async remove(run: string): Promise<void> {
      await rerankParts.deleteMany({ _id: idsOf(run) });
    },
  };
}
